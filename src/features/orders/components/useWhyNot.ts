import { useConnection } from '#state/hooks.ts'
import { useWords } from '#ui/words.ts'

/** Why nothing can be ordered by this form now; null: it can. `wrong`: what its fields or its contract say against it. */
export function useWhyNot(wrong: string | null): string | null {
  const t = useWords('contract')
  const ui = useWords('ui')
  const { line, lapsed } = useConnection()
  if (lapsed) return ui('form.lapsed')
  return wrong ?? (line === 'online' ? null : t('needsLine'))
}
