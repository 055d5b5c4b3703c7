import { lazy, Suspense, useEffect, useState } from 'react'
import type { ModuleRow } from '#contract/modules.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { Button } from '#ui/display/Button.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'

const ValidationDialog = lazy(async () => ({
  default: (await import('#features/modules/validation/ValidationDialog.tsx')).ValidationDialog,
}))

/** The column in which the modules of a set are chosen. */
export const chosenColumn = (chosen: readonly string[], onToggle: (code: string) => void) => ({
  head: <Head />,
  cell: ({ row }: OverlaidRow<ModuleRow>) => <Pick row={row} on={chosen.includes(row.code)} onToggle={onToggle} />,
})

const Head = () => <span className="sr-only">{useTranslation('modules').t('test.column')}</span>

function Pick({ row, on, onToggle }: { row: ModuleRow; on: boolean; onToggle: (code: string) => void }) {
  const { t } = useTranslation('modules')
  return (
    <label className="check box">
      <input
        type="checkbox"
        aria-label={t('test.one', { name: row.name })}
        checked={on}
        // One without a code is not in the catalogue yet.
        disabled={row.code === ''}
        onChange={() => onToggle(row.code)}
      />
    </label>
  )
}

interface Props {
  chosen: readonly string[]
  onChoose: (codes: readonly string[]) => void
  onEnd: () => void
}

/** Validation mode: which modules are chosen, and the test of them for missing apps (contracts 2, M140). Escape ends it. */
export function ChosenBar({ chosen, onChoose, onEnd }: Props) {
  const { t } = useTranslation('modules')
  const [testing, setTesting] = useState(false)
  useEffect(() => {
    const onKey = ({ key, defaultPrevented }: KeyboardEvent) => {
      if (key === 'Escape' && !defaultPrevented && !document.querySelector('[role=dialog]')) onEnd()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
  return (
    <section className="module-chosen" aria-label={t('test.bar')}>
      <p role="status">
        {t('test.counted', { count: chosen.length, number: number(chosen.length) })}
        {chosen.length > 0 && <span className="module-codes">{chosen.join(', ')}</span>}
      </p>
      <div className="module-acts">
        <Button
          kind="primary"
          aria-haspopup="dialog"
          whyNot={chosen.length === 0 && t('test.none')}
          onClick={() => setTesting(true)}
        >
          {t('test.run')}
        </Button>
        <Button whyNot={chosen.length === 0 && t('test.none')} onClick={() => onChoose([])}>
          {t('test.clear')}
        </Button>
        <Button kind="plain" icon="close" onClick={onEnd}>
          {t('test.end')}
        </Button>
      </div>
      <Suspense fallback={null}>
        {testing && <ValidationDialog codes={chosen} onClose={() => setTesting(false)} />}
      </Suspense>
    </section>
  )
}
