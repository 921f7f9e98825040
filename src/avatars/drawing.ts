import { createHash } from 'node:crypto'

/** Dark enough for white letters in every hue: the contrast is at least 4.5 to 1 (WCAG 2.2, 1.4.3). */
const shade = '60%,28%'

/** Draws a picture that is always the same for the same key and initials. */
export function drawAvatar(key: string, initials: string): string {
  const hue = createHash('sha256').update(key).digest().readUInt16BE() % 360
  const background = `<rect width="100" height="100" fill="hsl(${hue},${shade})"/>`
  const figure = initials === '' ? silhouette : lettering(initials)
  const size = 'width="100" height="100" viewBox="0 0 100 100"'
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${background}${figure}</svg>`
}

const silhouette =
  '<path fill="#fff" d="M50 22a17 17 0 1 1 0 34 17 17 0 0 1 0-34M18 90a32 28 0 0 1 64 0z"/>'

function lettering(initials: string): string {
  const font = 'font-family="sans-serif" font-size="42" text-anchor="middle"'
  return `<text x="50" y="50" dy=".35em" fill="#fff" ${font}>${escaped(initials)}</text>`
}

/** Writes each character as its number, so that none has a meaning in XML. */
function escaped(text: string): string {
  return Array.from(text, (character) => `&#${character.codePointAt(0)};`).join('')
}
