export default {
  input: `${import.meta.dirname}/generated/openapi.json`,
  output: `${import.meta.dirname}/generated/hey-api`,
  plugins: [
    '@hey-api/typescript',
    '@hey-api/client-fetch',
    { name: '@hey-api/sdk', validator: true },
    'zod',
  ],
}
