import type { inside } from '#ui/icons/app-icons.ts'
import type { ordering } from '#ui/icons/order-icons.ts'
import { type first, strokes } from '#ui/icons/icon-paths.ts'

export type IconName = keyof typeof first | keyof typeof inside | keyof typeof ordering

/** Decoration beside words: hidden from readers, who get the words. */
export function Icon({ name, size = 20 }: { name: IconName; size?: 16 | 20 | 24 | 40 }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={strokes[name]} />
    </svg>
  )
}
