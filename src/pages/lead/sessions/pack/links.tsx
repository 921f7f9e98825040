import { ActionFault, useAction } from '../../../shared/forms/action.js'
import { ActionButton } from '../../../shared/forms/action-button.js'
import { ConfirmButton } from '../../../shared/forms/confirm.js'
import { Notice } from '../../../shared/forms/form.js'
import { createSeatLinks } from '../../calls/seats.js'
import { say } from '../../words/words.js'
import { keepLinks } from '../kept-links.js'
import type { PackRead } from './pack-reading.js'

interface LinksProps {
  id: string
  pack: PackRead
  onChange: () => Promise<void>
}

/** Links begin with the address by which this page is open. Other devices cannot reach these. */
const isLocal = /^(localhost|127\.|\[::1\])/.test(location.hostname)

export const Print = () => (
  <button type="button" class="primary" onClick={() => print()}>
    {say('lead.print')}
  </button>
)

/** Makes the links that are missing, and prints. It says which links a new one ends. */
export function Links({ id, pack, onChange }: LinksProps) {
  const action = useAction()
  const shown = new Set(pack.links.map(({ assignment_id }) => assignment_id))
  const working = new Map(pack.working.map((one) => [one.assignment_id, one]))
  const free = pack.places.filter(({ _id, joined_at }) => !joined_at && !shown.has(_id))
  const missing = free.filter(({ _id }) => !working.has(_id))
  const elsewhere = free.filter(({ _id }) => working.get(_id)?.taken_at === null)
  const inside = pack.places.filter(({ _id }) => working.get(_id)?.taken_at)
  const names = inside.map(({ full_name, role_title }) => full_name ?? role_title ?? '–').join(', ')
  const make = (places: PackRead['places']) => async () => {
    const seats = places.map(({ _id }) => ({ assignment_id: _id }))
    keepLinks(id, await createSeatLinks(id, seats))
    await onChange()
  }
  return (
    <section class="card stack tight unprinted">
      <p>{say('lead.packWhy')}</p>
      {isLocal && <Notice kind="warn">{say('lead.localLinks')}</Notice>}
      {missing.length > 0 && (
        <Notice kind="warn">{say('lead.linksMissing', { count: missing.length })}</Notice>
      )}
      {elsewhere.length > 0 && (
        <Notice>{say('lead.linksElsewhere', { count: elsewhere.length })}</Notice>
      )}
      <div class="row">
        <Print />
        {missing.length > 0 && (
          <ActionButton action={action} act={make(missing)} done={say('lead.linksMade')}>
            {say('lead.makeLinks', { count: missing.length })}
          </ActionButton>
        )}
        {elsewhere.length > 0 && (
          <ConfirmButton
            title={say('lead.replaceTitle')}
            why={say('lead.renewSure')}
            act={make(elsewhere)}
            confirm={say('lead.makeLinks', { count: elsewhere.length })}
            done={say('lead.linksMade')}
          >
            {say('lead.replaceLinks', { count: elsewhere.length })}
          </ConfirmButton>
        )}
        {working.size > 0 && (
          <ConfirmButton
            title={say('lead.renewTitle')}
            why={`${say('lead.renewSure')} ${names && say('lead.renewEnds', { names })}`}
            act={make(pack.places)}
            confirm={say('lead.makeLinks', { count: pack.places.length })}
            done={say('lead.linksMade')}
          >
            {say('lead.renewLinks')}
          </ConfirmButton>
        )}
      </div>
      <ActionFault action={action} />
    </section>
  )
}
