import type { Member } from './service.js'

/** The bytes of an answer: `text()` of a response leaves a byte order mark out. */
export async function bytesAt(address: string, { token }: Pick<Member, 'token'>): Promise<Buffer> {
  const response = await fetch(address, { headers: { authorization: `Bearer ${token}` } })
  return Buffer.from(await response.arrayBuffer())
}

/** How a file in UTF-8 begins that has a byte order mark. */
export const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])
