import { showPage } from '../shared/show-page.js'
import { App } from './app.js'
import { begin } from './visit.js'

showPage(<App />)
void begin()
