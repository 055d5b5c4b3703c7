/** The key under which a user's device seals unsent writes at sign-out (protocol 30). Made once, with the user. */
import { randomBytes } from 'node:crypto'

export const newSealKey = () => randomBytes(32).toString('base64url')
