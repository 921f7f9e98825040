export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  headers: Record<string, string>
  body?: string
}

export interface Answer {
  bytes: number
  body: unknown
  milliseconds: number
}

/** Sends one request. Throws when its answer has another status than the expected one. */
export async function send(url: string, request: HttpRequest, expected: number): Promise<Answer> {
  const { method, path, body } = request
  const headers = { ...request.headers, 'accept-encoding': 'identity' }
  const startedAt = performance.now()
  const response = await fetch(url + path, { method, headers, ...(body && { body }) })
  const text = await response.text()
  const milliseconds = performance.now() - startedAt
  if (response.status !== expected) {
    throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 300)}`)
  }
  return { bytes: Buffer.byteLength(text), body: JSON.parse(text), milliseconds }
}

export const getRequest = (token: string, path: string): HttpRequest => ({
  method: 'GET',
  path,
  headers: { authorization: `Bearer ${token}` },
})

export function jsonRequest(
  method: 'POST' | 'PUT',
  path: string,
  body: unknown,
  token?: string,
): HttpRequest & { body: string } {
  const headers = {
    'content-type': 'application/json',
    ...(token && { authorization: `Bearer ${token}` }),
  }
  return { method, path, headers, body: JSON.stringify(body) }
}
