import type { ReactNode } from 'react'

export type TagTone = 'neutral' | 'accent' | 'positive' | 'warning' | 'danger' | 'pending' | 'role'

/** A status in words; the colour only repeats them. */
export function Tag({ tone = 'neutral', children }: { tone?: TagTone; children: ReactNode }) {
  return <span className={`tag ${tone}`}>{children}</span>
}
