import type { ReactNode } from 'react'

export type TagTone = 'neutral' | 'accent' | 'positive' | 'warning' | 'danger' | 'pending' | 'role'

/** A status as text. The colour only repeats it. */
export function Tag({ tone = 'neutral', children }: { tone?: TagTone; children: ReactNode }) {
  return <span className={`tag ${tone}`}>{children}</span>
}
