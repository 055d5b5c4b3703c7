import type { inside } from '#ui/icons.ts'
import type { ordering } from '#ui/order-icons.ts'
import { type first, strokes } from '#ui/strokes.ts'

export type IconName = keyof typeof first | keyof typeof inside | keyof typeof ordering

/** Decoration beside words: hidden from readers, who get the words. */
export function Icon({ name, size = 20 }: { name: IconName; size?: 16 | 20 | 24 | 40 }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={strokes[name]} />
    </svg>
  )
}
