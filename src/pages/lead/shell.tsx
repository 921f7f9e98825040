import type { ComponentChildren } from 'preact'
import { leave, may, me } from './me.js'
import { href, route } from './router.js'
import { say } from './words/words.js'

/** The frame of all views: where one can go, and who is logged in. */
export function Shell({ children }: { children: ComponentChildren }) {
  const [here = 'sessions'] = route.value
  const places = [
    { place: 'sessions', word: say('lead.sessions'), isShown: may('listSessions') },
    { place: 'scenarios', word: say('lead.scenarios'), isShown: may('previewQuickSetup') },
    { place: 'experiments', word: say('lead.experiments'), isShown: may('listExperiments') },
    { place: 'people', word: say('lead.people'), isShown: may('inviteMember') },
    { place: 'consent', word: say('lead.consent'), isShown: may('listConsentTexts') },
  ]
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        {say('lead.skip')}
      </button>
      <header class="bar">
        <nav class="bar-places" aria-label={say('lead.navigation')}>
          {places
            .filter(({ isShown }) => isShown)
            .map(({ place, word }) => (
              <a key={place} href={href(place)} aria-current={here === place ? 'page' : undefined}>
                {word}
              </a>
            ))}
        </nav>
        <div class="bar-user">
          <span class="small bar-name">
            {me.value?.user.full_name} · {me.value?.organization?.name}
          </span>
          <button type="button" class="quiet small" onClick={() => void leave()}>
            {say('lead.logOut')}
          </button>
        </div>
      </header>
      {children}
    </>
  )
}

/** Moves the focus only: the address stays that of the view. */
function skip(): void {
  document.querySelector<HTMLElement>('#content h1')?.focus()
}
