import { signal } from '@preact/signals'
import { isLoggedIn } from '../../shared/service.js'

type Said = 'who is logged in?' | 'I am'

/** Whether another tab of this page says that it is logged in. The tabs share nothing of the login. */
export const isInOtherTab = signal(false)

const tabs = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('lead tabs')
const tell = (said: Said) => tabs?.postMessage(said)

tabs?.addEventListener('message', ({ data }: MessageEvent<Said>) => {
  if (data === 'I am') isInOtherTab.value = true
  else if (isLoggedIn.value) tell('I am')
})

/** Asks the other tabs whether one of them is logged in. */
export function askOtherTabs(): void {
  isInOtherTab.value = false
  tell('who is logged in?')
}
