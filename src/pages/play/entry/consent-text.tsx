import type { Schema } from '../../shared/forms/schema.js'
import { language, say } from '../../shared/words/words.js'

interface ConsentTextProps {
  consent: Schema<'OfferedConsent'>
}

/** What participants agree to. Of the service's own text, which has two languages, the other one is folded. */
export function ConsentText({ consent }: ConsentTextProps) {
  const texts = languagesOf(consent)
  if (!texts) return <p class="text">{consent.text}</p>
  const other = language === 'de' ? 'en' : 'de'
  return (
    <>
      <p class="text">{texts[language]}</p>
      <details>
        <summary>{say('play.consent_other')}</summary>
        <p class="text" lang={other}>
          {texts[other]}
        </p>
      </details>
    </>
  )
}

/** The languages of the service's own text, which is version 0; null for the text of an organization. */
function languagesOf({ version, text }: Schema<'OfferedConsent'>) {
  const [en, de] = version === 0 ? text.split('\n\nDeutsch\n\n') : []
  // The first line only says where the German text is.
  return en && de ? { en: en.replace(/^Deutsch:.*\s+/, ''), de } : null
}
