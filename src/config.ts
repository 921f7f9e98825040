import { Ajv } from 'ajv'

const seconds = { type: 'integer', minimum: 1, maximum: 31_536_000 } as const
const secretPattern = '\\s*[^\\s,][^,]{30,}[^\\s,]\\s*'
const listPattern = '^[^\\s,]+(\\s*,\\s*[^\\s,]+)*$'

const environmentSchema = {
  type: 'object',
  properties: {
    NODE_ENV: { type: 'string' },
    HOST: { type: 'string', default: '127.0.0.1' },
    PORT: { type: 'integer', minimum: 0, maximum: 65_535, default: 3000 },
    DATABASE_URL: {
      type: 'string',
      pattern: '^postgres(ql)?://',
      description: 'must be a postgres:// address',
    },
    DATA_DIR: { type: 'string', default: '.data' },
    DATABASE_POOL_MAX: { type: 'integer', minimum: 1, maximum: 1000, default: 10 },
    JWT_SECRET: {
      type: 'string',
      pattern: `^${secretPattern}(,${secretPattern})*$`,
      description: 'must be one or more secrets of at least 32 bytes, separated by commas',
    },
    ACCESS_TOKEN_TTL: { ...seconds, default: 3600 },
    REFRESH_TOKEN_TTL: { ...seconds, default: 2_592_000 },
    SMTP_URL: { type: 'string', pattern: '^smtps?://', description: 'must be an smtp:// address' },
    MAIL_FROM: { type: 'string' },
    APP_URL: {
      type: 'string',
      pattern: '^https?://',
      description: 'must be the http or https address of the frontend',
    },
    CORS_ORIGINS: {
      type: 'string',
      pattern: listPattern,
      description: 'must be origins separated by commas',
    },
    TRUST_PROXY: { type: 'string', default: 'off' },
    LOG_LEVEL: {
      enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      default: 'info',
    },
    BODY_LIMIT: { type: 'integer', minimum: 1024, maximum: 104_857_600, default: 1_048_576 },
    RATE_LIMIT: { enum: ['on', 'off'], default: 'on' },
    WEB_CONCURRENCY: { type: 'integer', minimum: 1, maximum: 256, default: 1 },
  },
  allOf: [
    {
      if: { properties: { NODE_ENV: { const: 'production' } }, required: ['NODE_ENV'] },
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema's keyword
      then: { required: ['JWT_SECRET'] },
    },
    {
      if: { required: ['SMTP_URL'] },
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema's keyword
      then: { required: ['MAIL_FROM', 'APP_URL'] },
    },
    {
      if: { not: { required: ['DATABASE_URL'] } },
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema's keyword
      then: {
        properties: {
          WEB_CONCURRENCY: {
            type: 'integer',
            maximum: 1,
            description: 'must be 1 without DATABASE_URL: one process owns the embedded database',
          },
        },
      },
    },
  ],
}

interface Environment {
  HOST: string
  PORT: number
  DATABASE_URL?: string
  DATA_DIR: string
  DATABASE_POOL_MAX: number
  JWT_SECRET?: string
  ACCESS_TOKEN_TTL: number
  REFRESH_TOKEN_TTL: number
  SMTP_URL?: string
  MAIL_FROM?: string
  APP_URL?: string
  CORS_ORIGINS?: string
  TRUST_PROXY: string
  LOG_LEVEL: string
  BODY_LIMIT: number
  RATE_LIMIT: 'on' | 'off'
  WEB_CONCURRENCY: number
}

export type Config = ReturnType<typeof readConfig>

/**
 * The service's settings from the environment; an empty variable counts as unset. Throws one error
 * that names every fault, and never a value.
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env) {
  const env = parseEnvironment(environment)
  return {
    host: env.HOST,
    port: env.PORT,
    databaseUrl: env.DATABASE_URL ?? null,
    dataDir: env.DATA_DIR,
    databasePoolMax: env.DATABASE_POOL_MAX,
    jwtSecrets: env.JWT_SECRET?.split(',').map((secret) => secret.trim()) ?? null,
    accessTokenTtl: env.ACCESS_TOKEN_TTL,
    refreshTokenTtl: env.REFRESH_TOKEN_TTL,
    smtpUrl: env.SMTP_URL ?? null,
    mailFrom: env.MAIL_FROM ?? '',
    appUrl: (env.APP_URL ?? '').replace(/\/+$/, ''),
    corsOrigins: env.CORS_ORIGINS?.split(',').map((origin) => origin.trim()) ?? [],
    trustProxy: env.TRUST_PROXY === 'on' || (env.TRUST_PROXY !== 'off' && env.TRUST_PROXY),
    logLevel: env.LOG_LEVEL,
    bodyLimit: env.BODY_LIMIT,
    rateLimit: env.RATE_LIMIT === 'on',
    webConcurrency: env.WEB_CONCURRENCY,
  }
}

function parseEnvironment(environment: NodeJS.ProcessEnv): Environment {
  const ajv = new Ajv({ allErrors: true, coerceTypes: true, useDefaults: true, verbose: true })
  const validate = ajv.compile<Environment>({ ...environmentSchema, $async: false })
  const data: unknown = Object.fromEntries(Object.entries(environment).filter(([, v]) => v !== ''))
  if (validate(data)) return data

  const faults = (validate.errors ?? [])
    .filter(({ keyword }) => keyword !== 'if')
    .map((error) => {
      const name = error.instancePath.slice(1) || error.params.missingProperty
      if (error.keyword === 'required') {
        const reason = name === 'JWT_SECRET' ? 'when NODE_ENV=production' : 'with SMTP_URL'
        return `${name}: must be set ${reason}`
      }
      const allowed = error.keyword === 'enum' ? `: ${error.params.allowedValues.join(', ')}` : ''
      return `${name}: ${error.parentSchema?.description ?? `${error.message}${allowed}`}`
    })
  throw new Error(`The configuration is not valid:\n  ${faults.join('\n  ')}`)
}
