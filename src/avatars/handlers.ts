import { type Handler, Picture } from '../contract.js'
import { drawAvatar } from './drawing.js'

/** Does not read the database, so the answer does not reveal whether the person exists. */
export const getAvatar: Handler<'getAvatar'> = async (request, reply) => {
  const { avatar_key } = request.params
  const { initials = '' } = request.query
  reply.headers({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none'",
    'cross-origin-resource-policy': 'cross-origin',
  })
  return new Picture('image/svg+xml', drawAvatar(avatar_key, initials))
}
