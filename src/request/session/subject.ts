import { clientCredential } from '#contract/accounts.ts'
import { cookies } from '#contract/cookies.ts'
import type { Subject } from '#local/storage/records.ts'

export const formatSubject = ({ companyId, userId }: Subject) => `${companyId}:${userId}`

/** Returns null for any other format than `{company}:{user}`. */
export function readSubject(text: string | null): Subject | null {
  const match = /^(\d{1,10}):(\d{1,10})$/.exec(text ?? '')
  return match ? { companyId: Number(match[1]), userId: Number(match[2]) } : null
}

export const basicCredential = `Basic ${btoa(clientCredential)}`

export function readAccessCookie(cookieText: string): string | null {
  for (const name of Object.values(cookies.access)) {
    const value = readCookie(name, cookieText)
    if (value) return value
  }
  return null
}

export function readCookie(name: string, cookieText: string): string | null {
  const cookiePair = cookieText.split(/;\s*/).find((pair) => pair.startsWith(`${name}=`))
  return cookiePair ? decodeURIComponent(cookiePair.slice(name.length + 1)) : null
}
