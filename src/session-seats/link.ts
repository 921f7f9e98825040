import type { FastifyRequest } from 'fastify'
import { renderSVG } from 'uqr'
import { badRequest } from '../errors.js'

/** The address of the pages: the configured one, or the one that the caller has used. */
export function addressOfPages({
  host,
  protocol,
  server,
}: Pick<FastifyRequest, 'host' | 'protocol' | 'server'>): string {
  if (server.config.appUrl) return server.config.appUrl
  if (!/^[\w.:[\]-]{1,255}$/.test(host)) throw badRequest()
  return `${protocol}://${host}`
}

/** A text as a QR code, with the quiet zone of four modules that scanners need (ISO/IEC 18004). */
export const qrCodeOf = (text: string) => renderSVG(text, { border: 4, ecc: 'M', pixelSize: 1 })
