import { language, say, storyLanguage } from '../words/words.js'

/** Says which language the texts of scenarios have, to readers of another one. */
export const CatalogueLanguage = () =>
  language === storyLanguage ? null : <p class="muted small">{say('lead.catalogueLanguage')}</p>
