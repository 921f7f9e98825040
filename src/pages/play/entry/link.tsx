import { Step } from '../../shared/forms/step.js'
import { isLoggedIn } from '../../shared/service.js'
import { say } from '../../shared/words/words.js'
import { dropLink } from '../visit.js'

/** The first view of a link. It has sent no request, so nothing is taken yet. */
export const Link = ({ open }: { open(): unknown }) => (
  <Step title={say('link.title')}>
    <p>{say('link.text')}</p>
    <button type="button" class="primary wide" onClick={open}>
      {say('link.open')}
    </button>
    <BackToOwn />
  </Step>
)

/** The way back for those who take part in this tab already, or are logged in. */
export const BackToOwn = () =>
  isLoggedIn.value ? (
    <button type="button" class="wide" onClick={dropLink}>
      {say('play.back')}
    </button>
  ) : null
