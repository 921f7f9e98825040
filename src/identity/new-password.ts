import { validationFailed, valueError } from '../faults.js'

interface Body {
  new_password?: string
  password?: string
}

/** The new password in a body. `password` is an older name of the field. */
export function newPasswordOf({ new_password, password }: Body): string {
  const given = new_password ?? password
  if (given === undefined) {
    const loc = ['body', 'new_password']
    throw validationFailed([{ loc, msg: 'Field required', type: 'missing' }])
  }
  if (password !== undefined && password !== given) {
    throw valueError(['body', 'password'], 'contradictory', 'differs from new_password')
  }
  return given
}
