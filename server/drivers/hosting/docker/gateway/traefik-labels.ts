/** Builds the labels with which Traefik (2.5 and later, and 3) finds the tasks of a service in the Swarm. */

export interface TraefikSettings {
  domain: string
  /** True if Traefik terminates TLS for the services. */
  tls: boolean
  /** Name of the overlay network that Traefik and the services share. */
  network: string
  /** Entry point of Traefik. Null means all that Traefik uses by default. */
  entryPoint: string | null
  /** Resolver with which Traefik gets certificates. Null if it has certificates for the domain. */
  certResolver: string | null
}

/**
 * `traefik.docker.network` is read by both versions. Version 3 also has `traefik.swarm.network`, but ignores a service that has both. The
 * names contain the domain, because Traefik drops routers of the same name if two installations share it.
 */
export function buildTraefikLabels(
  { domain, tls, network, entryPoint, certResolver }: TraefikSettings,
  code: string,
  port: number,
): Record<string, string> {
  const name = `portal-${code}-${domain.replaceAll('.', '_')}`
  const router = `traefik.http.routers.${name}`
  const middleware = `traefik.http.middlewares.${name}.replacepathregex`
  return {
    'traefik.enable': 'true',
    'traefik.docker.network': network,
    [`${router}.rule`]: `(Host(\`www.${code}.${domain}\`) || Host(\`admin.${code}.${domain}\`)) && !PathPrefix(\`/control\`)`,
    [`${router}.service`]: name,
    [`${router}.middlewares`]: name,
    ...(entryPoint !== null && { [`${router}.entrypoints`]: entryPoint }),
    ...(tls && { [`${router}.tls`]: 'true' }),
    ...(tls && certResolver !== null && { [`${router}.tls.certresolver`]: certResolver }),
    [`${middleware}.regex`]: controlPathExpression,
    [`${middleware}.replacement`]: '/not-found',
    [`traefik.http.services.${name}.loadbalancer.server.port`]: String(port),
  }
}

/** `%`, also encoded once or several times. */
const percent = '%(?:25)*'
const slash = String.raw`(?:[/\\]|${percent}(?:2f|5c)|${percent}c0${percent}af)`
const dot = String.raw`(?:\.|${percent}2e|${percent}c0${percent}ae)`
const invisible = `(?:${percent}[01][0-9a-f]|${percent}20|${percent}7f)*`
const parameters = String.raw`(?:(?:;|${percent}3b)[^/\\]*)?`
/** A segment that some servers ignore, or that leads to the folder above. */
const emptySegment = `${invisible}(?:${dot}${invisible})*${parameters}`
const word = [...'control'].map((character) => `(?:${character}|${percent}${toHexPattern(character)})`).join('')

/**
 * Matches the path of a request that an instance could read as `/control`, in the syntax of Go. The rule above excludes only the plain
 * form: the version of Traefik decides which other forms it decodes or refuses. See `canReachControl`, which does the same in our gateway.
 */
const controlPathExpression = `(?i:^(?:${slash}|.*${slash}${emptySegment}${slash}(?:.*${slash})?)${invisible}${word}(?:[^a-z0-9_-].*)?$)`

/** Matches the code of the character in both cases. */
function toHexPattern(character: string): string {
  const toHex = (text: string) => text.charCodeAt(0).toString(16)
  return `(?:${toHex(character)}|${toHex(character.toUpperCase())})`
}
