import { useCallback, useEffect, useLayoutEffect, useRef } from 'react'
import { useWords } from '#ui/words.ts'
import { useLatest } from '#features/orders/components/useLatest.ts'
import type { Hand } from '#features/orders/hand.ts'

interface Props {
  value: number
  min: number
  max: number
  /** Shows what the slider says, at once. The same function always. */
  write: (users: string) => void
  hand: Hand | undefined
  onChange: (users: string) => void
}

/** Still under a finger that has come to rest. */
const restMs = 200

/** The users by hand, beside the number. The browser's own: what it says while it is dragged reaches React when it rests. */
export function UsersRange({ value, min, max, write, hand, onChange }: Props) {
  const t = useWords('wizard')
  const range = useRef<HTMLInputElement>(null)
  const change = useLatest(onChange)
  // biome-ignore lint: where it ends decides how far it may go
  useEffect(() => {
    if (range.current) range.current.value = String(value)
  }, [value, min, max])
  /** What the form does not know yet. */
  const held = useRef<string | null>(null)
  const show = useCallback(() => {
    if (held.current !== null) write(held.current)
  }, [write])
  // Drawn for another reason while it is dragged, the number is given what the form holds.
  useLayoutEffect(show)
  useEffect(() => {
    const slider = range.current
    if (!slider) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const rest = () => {
      clearTimeout(timer)
      held.current = null
      change(slider.value)
    }
    const drag = () => {
      clearTimeout(timer)
      if (!hand?.drag(slider.value)) return rest()
      held.current = slider.value
      show()
      timer = setTimeout(rest, restMs)
    }
    slider.addEventListener('input', drag)
    slider.addEventListener('change', rest)
    return () => {
      clearTimeout(timer)
      slider.removeEventListener('input', drag)
      slider.removeEventListener('change', rest)
    }
  }, [hand, show, change])
  return (
    <div className="users-hand">
      <input
        ref={range}
        type="range"
        className="users-range"
        aria-label={t('field.usersRange')}
        min={min}
        max={max}
        defaultValue={value}
      />
    </div>
  )
}
