module.exports = {
  service: {
    input: 'generated/openapi.json',
    // Its fetch client has no other place for an address.
    output: { target: 'generated/orval.ts', client: 'fetch', baseUrl: process.env.SERVICE_URL },
  },
}
