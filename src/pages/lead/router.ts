import { signal } from '@preact/signals'

/** Where the page is: the parts of the address after `#/`. The back button works by itself. */
export const route = signal(readRoute())

function readRoute(): string[] {
  try {
    return location.hash.split('/').slice(1).filter(Boolean).map(decodeURIComponent)
  } catch {
    return []
  }
}

addEventListener('hashchange', () => {
  route.value = readRoute()
})

export const href = (...parts: string[]) => `#/${parts.map(encodeURIComponent).join('/')}`

export function go(...parts: string[]): void {
  location.hash = href(...parts)
}
