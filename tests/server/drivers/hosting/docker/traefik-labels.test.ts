/**
 * Tests the labels for Traefik as texts. The names of the labels and the syntax of rules are those of the documentation of Traefik 2.11 and
 * 3, and of the sources of its Docker provider; no Traefik runs here.
 */
import { expect, it } from 'vitest'
import { createTraefikGateway } from '#server/drivers/hosting/docker/gateway/docker-gateway.ts'

const settings = { domain: 'services.example.com', tls: true, network: 'traefik-public' }
const name = 'portal-acme-services_example_com'

it('the gateway Traefik gives a service its hosts, its port and the shared network, but not the control endpoint', () => {
  const gateway = createTraefikGateway({ ...settings, entryPoint: 'websecure', certResolver: 'le' })
  expect(gateway.getServiceOptions('acme', 8080)).toEqual({
    networks: ['traefik-public'],
    labels: {
      'traefik.enable': 'true',
      'traefik.docker.network': 'traefik-public',
      [`traefik.http.routers.${name}.rule`]:
        '(Host(`www.acme.services.example.com`) || Host(`admin.acme.services.example.com`)) && !PathPrefix(`/control`)',
      [`traefik.http.routers.${name}.service`]: name,
      [`traefik.http.routers.${name}.middlewares`]: name,
      [`traefik.http.routers.${name}.entrypoints`]: 'websecure',
      [`traefik.http.routers.${name}.tls`]: 'true',
      [`traefik.http.routers.${name}.tls.certresolver`]: 'le',
      [`traefik.http.middlewares.${name}.replacepathregex.regex`]: expect.stringMatching(/^\(\?i:\^.*\$\)$/),
      [`traefik.http.middlewares.${name}.replacepathregex.replacement`]: '/not-found',
      [`traefik.http.services.${name}.loadbalancer.server.port`]: '8080',
    },
  })
})

it('the gateway Traefik sets neither TLS nor an entry point without settings for them', () => {
  const { labels } = createTraefikGateway({ ...settings, tls: false, certResolver: 'le' } as never).getServiceOptions(
    'acme',
    80,
  )
  expect(Object.keys(labels).filter((label) => /tls|entrypoints/.test(label))).toEqual([])
  // Traefik 3 ignores a service with labels of both kinds ("both Docker and Swarm labels are defined").
  expect(Object.keys(labels).filter((label) => label.startsWith('traefik.swarm.'))).toEqual([])
})

it('the gateway Traefik uses different names for the same code in other domains', () => {
  const listNames = (domain: string) =>
    Object.keys(createTraefikGateway({ ...settings, domain }).getServiceOptions('acme', 80).labels).filter((label) =>
      label.startsWith('traefik.http.'),
    )
  expect(listNames('a-b.example').filter((label) => listNames('a.b-example').includes(label))).toEqual([])
})

it('the gateway Traefik has addresses with the port of the entry point only if it is configured', async () => {
  const gateway = createTraefikGateway(settings)
  expect(gateway.getAddress('acme')).toEqual({
    url: 'https://www.acme.services.example.com/',
    adminUrl: 'https://admin.acme.services.example.com/',
  })
  expect(createTraefikGateway({ ...settings, tls: false, port: 8000 }).getAddress('acme').url).toBe(
    'http://www.acme.services.example.com:8000/',
  )
  gateway.setRoutes([])
  await gateway.close()
})

it('the gateway Traefik replaces other spellings of /control by a path that no instance has', () => {
  const { labels } = createTraefikGateway(settings).getServiceOptions('acme', 80)
  // JavaScript reads this expression as Go does: it uses neither lookarounds nor back references.
  const expression = new RegExp(labels[`traefik.http.middlewares.${name}.replacepathregex.regex`] ?? '')
  const refusedPaths = [
    '/control',
    '/CONTROL/v1',
    '//control/v1',
    '/./control',
    '/%2fcontrol',
    '/\\control',
    '/%5Ccontrol',
    '/%63ontrol',
    '/c%4Fntrol/v1/data',
    '/%2563ontrol',
    '/a/../control',
    '/a/%2e%2E/control',
    '/a/..%2fcontrol',
    '/a%2f..%2fcontrol',
    '/a/..;x=y/control',
    '/;x/control',
    '/%09/control',
    '/%20control',
    '/control;a=b',
    '/control.json',
    '/control%00abc',
    '//host/control',
    '/.//host/a/control',
    '/a/%c0%ae%c0%ae/control',
    '/a/b/../../control/v1',
  ]
  const allowedPaths = ['/', '/controls', '/control-panel', '/quality/control', '/a%2fb', '/a/../b', '/a/controls/../b']
  expect(
    refusedPaths.map((path) => path.replace(expression, '/not-found')).filter((path) => path !== '/not-found'),
  ).toEqual([])
  expect(allowedPaths.filter((path) => expression.test(path))).toEqual([])
})
