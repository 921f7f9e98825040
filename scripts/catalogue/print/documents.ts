import { postsOf } from '../bundle-posts.js'
import { html, type Markup } from './html.js'
import type { Pack } from './pack.js'
import { prose } from './prose.js'

/** The documents that participants get with the messages of this bundle, each on its own page. */
export function documents({ scenario, bundle, arm }: Pack): Markup[] {
  const shown = new Set(postsOf(bundle, arm).map(({ metadata }) => metadata.artefact?.title))
  return (scenario.artefacts ?? [])
    .filter(({ title }) => shown.has(title))
    .map(
      ({ title, text }) => html`<section class="document">
<p class="over">A document</p>
<h2>${title}</h2>
${prose(text)}
</section>`,
    )
}
