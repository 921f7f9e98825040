import { showPage } from '../shared/show-page.js'
import { App } from './app.js'

showPage(<App />)
