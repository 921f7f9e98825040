import { say } from '../shared/words/words.js'
import { forgetTokens } from './link.js'

/** Where people go on with their account: big if that is what most do next. They no longer need a link. */
export function LogIns({ isBig = false }: { isBig?: boolean }) {
  const kind = isBig ? 'button wide' : undefined
  return (
    <nav class="stack tight" aria-label={say('login.log_in')}>
      <a class={kind} href="/play" onClick={forgetTokens}>
        {say('account.to_play')}
      </a>
      <a class={kind} href="/lead" onClick={forgetTokens}>
        {say('account.to_lead')}
      </a>
    </nav>
  )
}

/** Asks for a new link to set a password. */
export function NewLink() {
  return (
    <a class="button primary wide" href="/forgot-password" onClick={forgetTokens}>
      {say('account.new_link')}
    </a>
  )
}
