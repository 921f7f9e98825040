import { type ComponentChildren, render } from 'preact'
import { Announcer } from './announcer.js'
import { Boundary } from './boundary.js'
import { keepTranslated } from './translated.js'

/** Draws a page, with what it tells screen readers, and a way on if it cannot be drawn. Browsers may translate it. */
export function showPage(app: ComponentChildren): void {
  const page = document.querySelector('#page')
  if (!page) return
  keepTranslated(page)
  render(
    <>
      <Boundary>{app}</Boundary>
      <Announcer />
    </>,
    page,
  )
}
