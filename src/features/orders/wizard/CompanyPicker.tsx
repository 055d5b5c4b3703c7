import { useEffect, useState } from 'react'
import type { Problem } from '#contract/problem.ts'
import { useDispatch } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { Field } from '#ui/form/Field.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { type CompanyName, findCompanies } from '#features/orders/list/slice.ts'

const pauseMs = 250

/** Finds a customer by a part of the code or name; the answer to the last word counts. */
export function CompanyDialog({ onClose, onChoose }: { onClose: () => void; onChoose: (id: number) => void }) {
  const { t } = useTranslation('orders')
  const [typed, setTyped] = useState('')
  const { found, problem } = useFound(typed.trim())
  return (
    <Dialog
      open
      title={t('companies.title')}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t('companies.close')}</Button>}
    >
      <div className="form">
        <Field
          autoFocus
          label={t('companies.search')}
          help={t('companies.help')}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <ProblemNote problem={problem} />
        <div role="status">{found?.length === 0 && <p>{t('companies.none')}</p>}</div>
        {found && found.length > 0 && (
          <ul className="order-companies">
            {found.map(({ id, code, name }) => (
              <li key={id}>
                <button type="button" className="order-company" onClick={() => onChoose(id)}>
                  <strong>{name}</strong> <span className="order-code">{code}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Dialog>
  )
}

function useFound(searchText: string) {
  const dispatch = useDispatch()
  const [told, setTold] = useState<{ found: CompanyName[] | null; problem: Problem | null }>(nothing)
  useEffect(() => {
    let counts = true
    const timer = setTimeout(async () => {
      if (searchText === '') return setTold(nothing)
      const result = await dispatch(findCompanies({ searchText }))
      if (!counts) return
      setTold(
        result.kind === 'fresh'
          ? { found: result.output, problem: null }
          : { found: null, problem: result.kind === 'problem' ? result.problem : null },
      )
    }, pauseMs)
    return () => {
      counts = false
      clearTimeout(timer)
    }
  }, [dispatch, searchText])
  return told
}

const nothing = { found: null, problem: null }

/** What to call a company that the address names; its number until its name is known, null for the own one. */
export function useCompanyName(id: number | null): string | null {
  const dispatch = useDispatch()
  const [known, setKnown] = useState<CompanyName | null>(null)
  useEffect(() => {
    if (id === null) return
    void dispatch(findCompanies({ id })).then((result) => {
      if (result.kind === 'fresh') setKnown(result.output[0] ?? null)
    })
  }, [dispatch, id])
  if (id === null) return null
  return known?.id === id ? known.name : `#${id}`
}
