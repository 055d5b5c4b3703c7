import { type FocusEvent, useLayoutEffect, useRef } from 'react'

const focusable = 'a[href], .acts button'

/**
 * The focus of a row that is deleted goes to the one that takes its place: at once, or, where a dialog has the focus,
 * when that closes and finds its opener gone (`[data-next-focus]`).
 */
export function useNeighbourFocus(keys: readonly string[]) {
  const body = useRef<HTMLTableSectionElement>(null)
  const focused = useRef<{ key: string | undefined; at: number } | null>(null)
  const before = useRef(keys)
  useLayoutEffect(() => {
    const [was, last] = [before.current, focused.current]
    before.current = keys
    // Other rows altogether are another page, and nobody deleted those.
    const isShorter = was.some((key) => keys.includes(key)) && was !== keys
    if (!isShorter || !last?.key || !was.includes(last.key) || keys.includes(last.key)) return
    const row = body.current?.children[Math.min(last.at, keys.length - 1)]
    const next = row?.querySelector<HTMLElement>(focusable)
    if (!next) return
    if (document.activeElement === document.body) next.focus()
    else next.dataset['nextFocus'] = ''
  }, [keys])
  const onFocus = ({ target }: FocusEvent) => {
    const at = [...(body.current?.children ?? [])].findIndex((row) => row.contains(target))
    focused.current = { key: keys[at], at }
  }
  return { body, onFocus }
}
