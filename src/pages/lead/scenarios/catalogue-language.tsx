import { otherLanguage, say } from '../words/words.js'

/** Says which language the texts of a scenario have, to readers of another one. */
export function CatalogueLanguage({ lang: tag }: { lang: string | null }) {
  const lang = otherLanguage(tag)
  return lang && <p class="muted small">{say('lead.catalogueLanguage', { lang })}</p>
}
