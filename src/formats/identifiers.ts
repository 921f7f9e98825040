export { v7 as createId } from 'uuid'

/** Whether a text has the form of our ids. Any other text is an unknown id. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}
