import type { LoadRequest } from './load.js'

export interface Answer {
  status: number
  bytes: number
  body: unknown
  milliseconds: number
}

/** Sends one request, and throws when its answer has another status than expected. */
export async function send(url: string, request: LoadRequest, expected: number): Promise<Answer> {
  const { method, path, body } = request
  const headers = { ...request.headers, 'accept-encoding': 'identity' }
  const startedAt = performance.now()
  const response = await fetch(url + path, { method, headers, ...(body && { body }) })
  const bytes = Buffer.from(await response.arrayBuffer())
  const milliseconds = performance.now() - startedAt
  if (response.status !== expected) {
    throw new Error(
      `${method} ${url}${path} answered ${response.status}: ${bytes.subarray(0, 300)}`,
    )
  }
  const { status } = response
  return { status, bytes: bytes.length, body: JSON.parse(bytes.toString()), milliseconds }
}

export function getRequest(token: string, path: string): LoadRequest {
  return { method: 'GET', path, headers: { authorization: `Bearer ${token}` } }
}

export function jsonRequest(
  method: 'POST' | 'PUT',
  path: string,
  body: unknown,
  token?: string,
): LoadRequest {
  const headers = {
    'content-type': 'application/json',
    ...(token && { authorization: `Bearer ${token}` }),
  }
  return { method, path, headers, body: JSON.stringify(body) }
}
