import { statSync } from 'node:fs'
import { isIP } from 'node:net'
import addressparser from 'nodemailer/lib/addressparser'
import { parse } from 'pg-connection-string'
import { limits, readDefaults } from '../limits.js'

const seconds = { type: 'integer', minimum: 1, maximum: 31_536_000 } as const
const secrets = {
  type: 'string',
  format: 'secrets',
  description: 'must be one or more secrets of at least 32 bytes, separated by commas',
} as const

const folder = {
  type: 'string',
  format: 'folder',
  description: 'must be a folder, not a file',
} as const

/** The settings of the service, as a JSON Schema of its environment. */
const properties = {
  NODE_ENV: { type: 'string' },
  HOST: { type: 'string', default: '127.0.0.1' },
  PORT: { type: 'integer', minimum: 0, maximum: 65_535, default: 3000 },
  DATABASE_URL: {
    type: 'string',
    format: 'postgres-address',
    description: 'must be a postgres:// address',
  },
  DATABASE_MIGRATION_URL: {
    type: 'string',
    format: 'postgres-address',
    description: 'must be a postgres:// address',
  },
  DATA_DIR: { ...folder, default: '.data' },
  CATALOGUE_DIR: folder,
  DATABASE_POOL_MAX: { type: 'integer', minimum: 1, maximum: 1000, default: 10 },
  DATABASE_PREPARED_STATEMENTS: { enum: ['on', 'off'], default: 'on' },
  JWT_SECRET: secrets,
  AUDIT_SECRET: secrets,
  ACCESS_TOKEN_TTL: { ...seconds, default: 3600 },
  REFRESH_TOKEN_TTL: { ...seconds, default: 2_592_000 },
  SMTP_URL: {
    type: 'string',
    format: 'smtp-address',
    description: 'must be an smtp:// address, with a user and a password or with neither',
  },
  MAIL_FROM: {
    type: 'string',
    format: 'sender',
    description: 'must be one e-mail address, with or without a name: Acme <drills@acme.example>',
  },
  APP_URL: {
    type: 'string',
    format: 'page-address',
    description: 'must be the http or https address of the frontend, without a query or fragment',
  },
  MAIL_TO_LOG: { enum: ['on', 'off'], default: 'off' },
  CORS_ORIGINS: {
    type: 'string',
    format: 'origins',
    description:
      'must be origins as browsers send them, like https://app.example, without wildcards, separated by commas; or null',
  },
  TRUST_PROXY: {
    type: 'string',
    format: 'proxies',
    default: 'off',
    description:
      'must be on, off, a number of proxies, or addresses, networks, loopback, linklocal or uniquelocal, separated by commas',
  },
  LOG_LEVEL: {
    enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
  },
  BODY_LIMIT: { type: 'integer', minimum: 1024, maximum: 4_194_304, default: 1_048_576 },
  RATE_LIMIT: { enum: ['on', 'off'], default: 'on' },
  REGISTRATION: { enum: ['open', 'off'], default: 'open' },
  REGISTRATIONS_PER_DAY: { type: 'integer', minimum: 1, maximum: 1_000_000, default: 100 },
  DEFAULT_LIMITS: {
    type: 'string',
    format: 'limits',
    description: `must be a JSON object of limits and whole numbers of at most 15 digits, like {"events_per_day":20000}. The limits are ${Object.keys(limits).join(', ')}`,
  },
  PAGES: { enum: ['on', 'off'], default: 'on' },
  WEB_CONCURRENCY: { type: 'integer', minimum: 1, maximum: 256, default: 1 },
  DRAIN_SECONDS: { type: 'integer', minimum: 0, maximum: 3600, default: 0 },
}

export const environmentSchema = { type: 'object', properties }

type Name = keyof typeof properties
type Values = { [Key in Name]?: unknown }

/** Whether the service is no trial or test. A misspelt `production` must not allow more. */
export const isProduction = ({ NODE_ENV = '' }: { NODE_ENV?: unknown }) =>
  !['', 'development', 'test'].includes(String(NODE_ENV))

/** Rules between settings. */
export const rules: { name: Name; fault: string; isBroken(env: Values): boolean }[] = [
  {
    name: 'JWT_SECRET',
    fault: 'must be set in production',
    isBroken: (env) => isProduction(env) && !env.JWT_SECRET,
  },
  {
    name: 'DATABASE_URL',
    fault: 'must be set in production, or DATA_DIR for the embedded database',
    isBroken: (env) => isProduction(env) && !env.DATABASE_URL && !env.DATA_DIR,
  },
  {
    name: 'DATABASE_MIGRATION_URL',
    fault: 'must not be set without DATABASE_URL',
    isBroken: (env) => Boolean(env.DATABASE_MIGRATION_URL) && !env.DATABASE_URL,
  },
  {
    name: 'CORS_ORIGINS',
    fault: 'must not have null in production: sandboxed frames of any site have it',
    isBroken: (env) =>
      isProduction(env) && splitList(String(env.CORS_ORIGINS ?? '')).includes('null'),
  },
  {
    name: 'MAIL_FROM',
    fault: 'must be set with SMTP_URL',
    isBroken: (env) => Boolean(env.SMTP_URL) && !env.MAIL_FROM,
  },
  {
    name: 'APP_URL',
    fault: 'must be set with SMTP_URL or MAIL_TO_LOG=on',
    isBroken: (env) => (Boolean(env.SMTP_URL) || env.MAIL_TO_LOG === 'on') && !env.APP_URL,
  },
  {
    name: 'MAIL_TO_LOG',
    fault: 'must not be on with SMTP_URL, which sends the mails',
    isBroken: (env) => env.MAIL_TO_LOG === 'on' && Boolean(env.SMTP_URL),
  },
  {
    name: 'MAIL_TO_LOG',
    fault: 'must not be on in production: a link in a mail opens an account',
    isBroken: (env) => env.MAIL_TO_LOG === 'on' && isProduction(env),
  },
  {
    name: 'WEB_CONCURRENCY',
    fault: 'must be 1 without DATABASE_URL: one process owns the embedded database',
    isBroken: (env) => isSeveral(env.WEB_CONCURRENCY) && !env.DATABASE_URL,
  },
]

const isSeveral = (value: unknown) => typeof value === 'number' && value > 1

export const names = Object.keys(properties)

export const integers = Object.entries(properties)
  .filter(([, schema]) => 'type' in schema && schema.type === 'integer')
  .map(([name]) => name)

export const splitList = (text: string) => text.split(',').map((item) => item.trim())

export const formats = {
  'postgres-address': isPostgresAddress,
  'smtp-address': isMailServer,
  sender: isSender,
  folder: isFolder,
  limits: (text: string) => readDefaults(text) !== null,
  'page-address': isPageAddress,
  secrets: (text: string) => splitList(text).every((secret) => Buffer.byteLength(secret) >= 32),
  origins: (text: string) => splitList(text).every(isOrigin),
  proxies: (text: string) =>
    typeof readProxies(text) !== 'string' || splitList(text).every(isProxy),
}

/** Returns how many proxies in a row are trusted, or which ones. False trusts none. */
export function readProxies(text: string): number | string | false {
  if (text === 'off') return false
  if (text === 'on') return 1
  return /^[1-9]$/.test(text) ? Number(text) : text
}

function isPostgresAddress(text: string): boolean {
  if (!/^postgres(ql)?:\/\//.test(text)) return false
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}

function isAddress(text: string, protocol: RegExp): boolean {
  return URL.canParse(text) && protocol.test(new URL(text).protocol) && new URL(text).host !== ''
}

/** nodemailer sends nothing with a user and no password, or the reverse. */
function isMailServer(text: string): boolean {
  if (!isAddress(text, /^smtps?:$/)) return false
  const { username, password } = new URL(text)
  return (username === '') === (password === '')
}

function isSender(text: string): boolean {
  const [sender, ...others] = addressparser(text, { flatten: false })
  const address = sender && 'address' in sender ? sender.address : ''
  return others.length === 0 && /^[^\s@<>"]+@[^\s@<>"]+$/.test(address ?? '')
}

/** Whether the path is a folder, or does not exist yet. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOTDIR'
  }
}

/** Whether a path can be appended to an address. */
function isPageAddress(text: string): boolean {
  return isAddress(text, /^https?:$/) && !/[?#\s]/.test(text)
}

/** `null` is the origin of a page that was opened from a file. */
function isOrigin(text: string): boolean {
  if (text === 'null') return true
  return isAddress(text, /^https?:$/) && new URL(text).origin === text && !text.includes('*')
}

function isProxy(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [address = '', prefix = '1', ...rest] = text.split('/')
  const longest = { 4: 32, 6: 128 }[isIP(address)] ?? 0
  const length = /^\d{1,3}$/.test(prefix) ? Number(prefix) : 0
  return rest.length === 0 && length >= 1 && length <= longest
}
