export { v7 as createId } from 'uuid'

/** Whether a text can be an `_id` of ours. Any other text is simply an unknown id. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}
