import { useState } from 'react'
import type { AppRow } from '#contract/apps.ts'
import type { ModuleApp } from '#domain/checks/module-checks.ts'
import { foldText } from '#domain/text.ts'
import { Button } from '#ui/display/Button.tsx'
import { Combobox } from '#ui/form/Combobox.tsx'
import { Pages } from '#ui/list/Pagination.tsx'
import { useTranslation } from 'react-i18next'
import { FlagFields } from '#features/modules/form/FlagFields.tsx'

interface Props {
  /** Undefined: the device has not been asked yet. */
  apps: readonly AppRow[] | undefined
  chosen: readonly ModuleApp[]
  error: string | undefined
  optional: boolean
  onChange: (chosen: ModuleApp[]) => void
}

/** contracts 9. */
const pageSize = 4
const maxChoices = 20

/** The apps of a module, four a page, each with what it is told (M139). */
export function AppsField({ apps: known, chosen, error, optional, onChange }: Props) {
  const { t } = useTranslation('modules')
  const apps = known ?? []
  const [text, setText] = useState('')
  const [page, setPage] = useState(1)
  const pages = Math.max(1, Math.ceil(chosen.length / pageSize))
  const at = Math.min(page, pages)
  const sought = foldText(text.trim())
  const free = apps.filter((app) => !chosen.some(({ code }) => code === app.code))
  const fitting = free.filter((app) => foldText(`${app.code} ${app.name}`).includes(sought))
  const choices = fitting.slice(0, maxChoices).map((app) => ({
    id: app.id,
    label: app.name,
    detail: `${app.code} ${app.version}`,
  }))
  const add = (id: number | null) => {
    const found = apps.find((app) => app.id === id)
    if (!found) return
    onChange([...chosen, { code: found.code, flag: {} }])
    setText('')
    // Where it is seen.
    setPage(Math.ceil((chosen.length + 1) / pageSize))
  }
  const change = (app: ModuleApp) => onChange(chosen.map((one) => (one.code === app.code ? app : one)))
  const remove = (code: string) => onChange(chosen.filter((one) => one.code !== code))
  const note =
    apps.length === 0
      ? t('apps.notHere')
      : fitting.length === 0
        ? t('apps.noneFound')
        : fitting.length > maxChoices
          ? t('apps.more', { count: fitting.length - maxChoices })
          : null
  return (
    <fieldset className={`module-field${error ? ' wrong' : ''}`}>
      <legend>
        {t('form.apps')}
        {optional && <span className="field-optional">{t('form.optional')}</span>}
      </legend>
      <Combobox
        label={t('apps.add')}
        name="add-app"
        value=""
        placeholder={t('apps.placeholder')}
        choices={choices}
        note={note}
        error={error}
        onSearch={setText}
        onChoose={add}
      />
      {chosen.length === 0 ? (
        <p className="field-help">{t('apps.none')}</p>
      ) : (
        <ul className="module-apps" aria-label={t('form.apps')}>
          {chosen.slice((at - 1) * pageSize, at * pageSize).map((one) => {
            const app = apps.find(({ code }) => code === one.code)
            return (
              <li key={one.code}>
                <div className="module-app-head">
                  <span>
                    <strong>{app?.name ?? one.code}</strong> <code>{one.code}</code>
                    <span className="field-help">
                      {app ? t('apps.version', { version: app.version }) : known && t('apps.unknown')}
                    </span>
                  </span>
                  <Button kind="plain" icon="remove" onClick={() => remove(one.code)}>
                    {t('apps.remove', { name: app?.name ?? one.code })}
                  </Button>
                </div>
                {known && <FlagFields app={one} flags={app?.flag ?? []} onChange={change} />}
              </li>
            )
          })}
        </ul>
      )}
      {pages > 1 && (
        <div className="module-pages">
          <span>{t('apps.counted', { count: chosen.length })}</span>
          <Pages page={at} pages={pages} onPage={setPage} />
        </div>
      )}
    </fieldset>
  )
}
