/**
 * Token values (K-01, K-04, K-07). The first pair of a session is random; each later one is derived from the refresh
 * token before it, so the same pair can be answered again although only hashes are stored.
 */
import { createHmac, hash, randomBytes } from 'node:crypto'

export interface Pair {
  access: string
  refresh: string
}

export const hashToken = (token: string) => hash('sha256', token, 'hex')

/** The access value names its user, so that page and worker can tell whose it is (D85). */
const accessOf = (userId: number, secret: string) => `${userId}.${secret}`

export const firstPair = (userId: number): Pair => ({
  access: accessOf(userId, randomBytes(32).toString('base64url')),
  refresh: randomBytes(32).toString('base64url'),
})

export const childPair = (key: Buffer, userId: number, parentRefresh: string): Pair => ({
  access: accessOf(userId, derive(key, parentRefresh, 'access')),
  refresh: derive(key, parentRefresh, 'refresh'),
})

const derive = (key: Buffer, parent: string, use: string) =>
  createHmac('sha256', key).update(`${parent}+${use}`).digest('base64url')
