import { language, say } from '../words/words.js'

/** The language of all scenarios of the catalogue. */
const catalogueLanguage = 'en'

/** Says which language the texts of scenarios have, to readers of another one. */
export const CatalogueLanguage = () =>
  language === catalogueLanguage ? null : <p class="muted small">{say('lead.catalogueLanguage')}</p>
