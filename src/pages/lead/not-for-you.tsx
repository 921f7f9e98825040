import { Notice } from '../shared/forms/form.js'
import { leave, me } from './me.js'
import { View } from './view.js'
import { say } from './words/words.js'

/** The page for users who lead no sessions. */
export function NotForYou() {
  return (
    <View title={say('lead.notForYou')} kind="column">
      <div class="stack">
        <Notice>
          <p>{say('lead.notForYouWhy', { email: me.value?.user.email ?? '' })}</p>
        </Notice>
        <div class="row">
          <a class="button primary" href="/play">
            {say('lead.toPlay')}
          </a>
          <button type="button" onClick={() => void leave()}>
            {say('lead.logOut')}
          </button>
        </div>
      </div>
    </View>
  )
}
