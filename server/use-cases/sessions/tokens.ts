/**
 * Creates token values (K-01, K-04, K-07). Pairs are random, except the first pair that a refresh token is exchanged for: it is derived
 * from that token. A server of an earlier build derives it again when the exchange is repeated, and must get the same pair.
 */
import { createHmac, hash, randomBytes } from 'node:crypto'

export interface TokenPair {
  access: string
  refresh: string
}

export const hashToken = (token: string) => hash('sha256', token, 'hex')

/** The access token contains its user's id, so that the page and the worker can see whose token it is (D85). */
const formatAccessToken = (userId: number, secret: string) => `${userId}.${secret}`

export const createRandomPair = (userId: number): TokenPair => ({
  access: formatAccessToken(userId, randomBytes(32).toString('base64url')),
  refresh: randomBytes(32).toString('base64url'),
})

export const deriveChildPair = (key: Buffer, userId: number, parentRefresh: string): TokenPair => ({
  access: formatAccessToken(userId, deriveToken(key, parentRefresh, 'access')),
  refresh: deriveToken(key, parentRefresh, 'refresh'),
})

const deriveToken = (key: Buffer, parent: string, use: string) =>
  createHmac('sha256', key).update(`${parent}+${use}`).digest('base64url')
