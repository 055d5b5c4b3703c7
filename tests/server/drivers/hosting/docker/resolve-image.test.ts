import { expect, it } from 'vitest'
import { pinImage } from '#server/drivers/hosting/docker/services/resolve-image.ts'

const digest = `sha256:${'a'.repeat(64)}`

it.each([
  [
    'registry.test:5000/team/shop:1.2',
    `registry.test:5000/team/shop@${digest}`,
    `registry.test:5000/team/shop:1.2@${digest}`,
  ],
  ['registry.test:5000/team/shop', `registry.test:5000/team/shop@${digest}`, `registry.test:5000/team/shop@${digest}`],
  ['shop:1', `docker.io/library/shop@${digest}`, `shop:1@${digest}`],
  ['shop:1', `other@${digest}`, 'shop:1'],
  [`shop@${digest}`, `shop@sha256:${'b'.repeat(64)}`, `shop@${digest}`],
])('pins %s to the digest of its own repository', (name, repoDigest, pinnedName) => {
  expect(pinImage(name, [repoDigest])).toBe(pinnedName)
})
