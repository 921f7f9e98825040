import { showPage } from '../shared/show-page.js'
import { App } from './app.js'
import { begin } from './visit.js'

showPage(<App />)
void begin()
// Another link in the same tab changes only the fragment.
addEventListener('hashchange', () => location.hash.length > 1 && location.reload())
