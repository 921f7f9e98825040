import { useState } from 'preact/hooks'
import { ActionForm, useAction } from '../../shared/forms/action.js'
import { Writing } from '../../shared/forms/form.js'
import type { Schema } from '../../shared/forms/schema.js'
import { createConsentText, readConsentTexts } from '../calls/consent-texts.js'
import { useDraft } from '../draft.js'
import { Await, useLoaded } from '../elements/loaded.js'
import { may } from '../me.js'
import { View } from '../view.js'
import { dateOf, say } from '../words/words.js'

type Text = Schema<'ConsentText'>

/** What participants agree to before they take part, and how it was before. */
export function Consent() {
  const loaded = useLoaded(readConsentTexts)
  return (
    <View title={say('lead.consent')}>
      <p class="lead-in">{say('lead.consentWhy')}</p>
      <Await loaded={loaded}>
        {([current, ...earlier]) =>
          current && (
            <div class="halves">
              <div class="stack">
                <section class="card stack tight">
                  <h2>{say('lead.consentNow')}</h2>
                  <Version text={current} />
                </section>
                {earlier.length > 0 && <Earlier texts={earlier} />}
              </div>
              {may('createConsentText') ? (
                <Change current={current} onChange={loaded.load} />
              ) : (
                <p class="card muted">{say('lead.consentByAdmin')}</p>
              )}
            </div>
          )
        }
      </Await>
    </View>
  )
}

const Version = ({ text: { version, text, created_at } }: { text: Text }) => (
  <>
    <p class="muted small">
      {version === 0 ? say('lead.consentOfService') : say('lead.consentVersion', { version })}
      {created_at && <> · {dateOf(created_at)}</>}
    </p>
    <p class="text">{text}</p>
  </>
)

const Earlier = ({ texts }: { texts: readonly Text[] }) => (
  <details class="card">
    <summary>{say('lead.consentEarlier', { count: texts.length })}</summary>
    <ol class="rows plain-list">
      {texts.map((text) => (
        <li key={text.version} class="stack tight">
          <Version text={text} />
        </li>
      ))}
    </ol>
  </details>
)

/** Writes the next version, beginning with the current one. */
function Change({ current, onChange }: { current: Text; onChange: () => Promise<void> }) {
  const draft = useDraft(`consent ${current.version}`)
  const action = useAction()
  const [text, setText] = useState(draft.text || current.text)
  const write = (next: string) => {
    setText(next)
    draft.write(next === current.text ? '' : next)
  }
  const save = async () => {
    await createConsentText(text)
    draft.write('')
    await onChange()
  }
  return (
    <section class="card stack">
      <h2>{say('lead.consentChange')}</h2>
      <ActionForm action={action} act={save} done={say('lead.consentChanged')}>
        <Writing
          label={say('lead.consentText')}
          hint={say('lead.consentHint')}
          rows={14}
          required
          maxLength={10_000}
          value={text}
          onInput={write}
        />
        <div>
          <button
            type="submit"
            class="primary"
            aria-disabled={action.isBusy.value || text === current.text}
          >
            {say('lead.consentUse')}
          </button>
        </div>
      </ActionForm>
    </section>
  )
}
