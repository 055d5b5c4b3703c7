/** Returns the best encoding that the client accepts (RFC 9110, 12.5.3). Without any, `identity`. */
export function chooseEncoding<const T extends string>(
  header: string | undefined,
  available: readonly T[],
): T | 'identity' {
  const accepted = new Map(
    (header ?? '').split(',').map((part): [string, number] => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
      const quality = parameters.find((text) => text.startsWith('q='))
      return [name, quality === undefined ? 1 : Number(quality.slice(2))]
    }),
  )
  const isAccepted = (name: string) => (accepted.get(name) ?? accepted.get('*') ?? 0) > 0
  return (
    available.find((name) => name === 'br' && isAccepted(name)) ??
    available.find((name) => name === 'gzip' && isAccepted(name)) ??
    'identity'
  )
}
