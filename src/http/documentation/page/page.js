/* global SwaggerUIBundle */

const dark = matchMedia('(prefers-color-scheme: dark)')
const applyScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', applyScheme)
applyScheme()

/** The page shows an answer when all of it is there. A stream has no end. */
function triesNoStreams() {
  const isStream = (state, path, method) =>
    state.hasIn(['json', 'paths', path, method, 'responses', '200', 'content', 'text/event-stream'])
  const allowTryItOutFor =
    (original) =>
    (state, path, method, ...others) =>
      !isStream(state, path, method) && original(state, path, method, ...others)
  return { statePlugins: { spec: { wrapSelectors: { allowTryItOutFor } } } }
}

SwaggerUIBundle({
  url: '/docs/json',
  dom_id: '#page',
  // Without the bar on top, which explores other addresses and bears the logo of a product.
  layout: 'BaseLayout',
  deepLinking: true,
  displayOperationId: true,
  showExtensions: true,
  plugins: [triesNoStreams],
  // A token in the browser's storage would outlive the page, for every script of this origin to read.
  persistAuthorization: false,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  onComplete: () => markLink(idOf(location.hash)),
})

const nav = document.querySelector('nav')
const button = nav.querySelector('button')
/** `#/auth/login` is the address of the operation with the id `operations-auth-login`. */
const idOf = (hash) => `operations-${hash.slice(2).replace('/', '-')}`
const links = new Map([...nav.querySelectorAll('li a')].map((link) => [idOf(link.hash), link]))

/** Small screens show the list of operations only when it is asked for. */
const showList = (isShown) => button.setAttribute('aria-expanded', String(isShown))
button.addEventListener('click', () => showList(button.getAttribute('aria-expanded') === 'false'))

nav.addEventListener('click', (event) => {
  const link = event.target.closest('a')
  if (!link) return
  event.preventDefault()
  showList(false)
  if (link.hash) showOperation(link.hash)
  else document.querySelector('.info').scrollIntoView()
})

/** Texts name operations, and lead to them. */
document.addEventListener('click', (event) => {
  const link = event.target.closest('.renderedMarkdown a[href^="#/"]')
  if (!link) return
  event.preventDefault()
  showOperation(link.hash)
})

/** Finds operations by their id, title, method or path. */
const search = nav.querySelector('input')
search.addEventListener('input', () => {
  const wanted = search.value.trim().toLowerCase()
  for (const { dataset, parentElement } of links.values()) {
    parentElement.hidden = !dataset.words.toLowerCase().includes(wanted)
  }
  for (const section of nav.querySelectorAll('details')) {
    section.hidden = section.querySelector('li:not([hidden])') === null
    // Sections of one name open one at a time.
    section.name = wanted ? '' : 'tag'
    section.open = wanted !== ''
  }
})

function showOperation(hash) {
  const operation = document.getElementById(idOf(hash))
  location.hash = hash
  if (!operation.classList.contains('is-open')) {
    operation.querySelector('.opblock-summary-control').click()
  }
  operation.scrollIntoView()
  markLink(operation.id)
}

/** The list marks the operation that is on top of the screen. */
document.addEventListener(
  'scroll',
  () => {
    const { right, top } = document.getElementById('page').getBoundingClientRect()
    const operation = document.elementFromPoint(right - 60, Math.max(top, 0) + 30)
    markLink(operation?.closest('.opblock')?.id)
  },
  { capture: true, passive: true },
)

function markLink(id) {
  const link = links.get(id)
  if (!link || link.hasAttribute('aria-current')) return
  nav.querySelector('[aria-current]')?.removeAttribute('aria-current')
  link.setAttribute('aria-current', 'true')
  link.closest('details').open = true
  link.scrollIntoView({ block: 'nearest' })
}

/** The dialog puts the cursor into its last field. The first one is for the access token. */
document.addEventListener('click', ({ target }) => {
  if (!target.closest('.authorize:not(.modal-btn), .authorization__btn')) return
  setTimeout(() => document.querySelector('.auth-container input')?.focus())
})
