/** Checks names of images, by the grammar of the Distribution project: `[host[:port]/]path[:tag][@digest]`. */
import { isHostAddress } from '#server/config/host-address.ts'

const maxNameLength = 255
const maxPort = 65_535
const pathPartPattern = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/
const tagPattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/
const digestPattern = /^sha256:[0-9a-f]{64}$/

export function isImageReference(text: string): boolean {
  const [nameAndTag = '', digest, ...rest] = text.split('@')
  if (rest.length > 0 || (digest !== undefined && !digestPattern.test(digest))) return false
  const { name, tag } = splitTag(nameAndTag)
  if (name.length > maxNameLength || (tag !== null && !tagPattern.test(tag))) return false
  const parts = name.split('/')
  const pathParts = hasRegistry(name) ? parts.slice(1) : parts
  if (hasRegistry(name) && !isRegistryHost(parts[0] ?? '')) return false
  return pathParts.length > 0 && pathParts.every((part) => pathPartPattern.test(part))
}

/** Returns the registry of a valid reference, in the form of the Docker command line, which has an old address for Docker Hub. */
export function getRegistryHost(image: string): string {
  const { name } = splitTag(image.split('@')[0] ?? '')
  const host = hasRegistry(name) ? (name.split('/')[0] ?? '') : 'docker.io'
  return host === 'docker.io' || host === 'index.docker.io' ? 'https://index.docker.io/v1/' : host
}

/** A colon after the last slash begins the tag. Others begin the port of the registry. */
function splitTag(text: string): { name: string; tag: string | null } {
  const colon = text.indexOf(':', text.lastIndexOf('/') + 1)
  return colon === -1 ? { name: text, tag: null } : { name: text.slice(0, colon), tag: text.slice(colon + 1) }
}

/** Without a point, a port or upper case, the first part is a folder at Docker Hub, unless it is `localhost`. */
function hasRegistry(name: string): boolean {
  const [first = '', ...rest] = name.split('/')
  return rest.length > 0 && (/[.:A-Z]/.test(first) || first === 'localhost')
}

function isRegistryHost(text: string): boolean {
  const [, bracketedHost, bareHost, port = '1'] = /^(?:\[([0-9a-f:]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/i.exec(text) ?? []
  const host = bracketedHost ?? bareHost ?? ''
  return isHostAddress(host) && Number(port) >= 1 && Number(port) <= maxPort
}
