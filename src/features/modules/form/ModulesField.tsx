import { useDeferredValue, useId, useState } from 'react'
import { selectModule, type ModuleDependencies } from '#domain/catalogue/modules.ts'
import { normaliseText } from '#domain/text.ts'
import { Field } from '#ui/form/Field.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { joinList } from '#ui/i18n/messages.ts'

interface SelectableModule extends ModuleDependencies {
  name: string
}

interface ModulesFieldProps {
  name: 'dependencies' | 'conditions'
  modules: readonly SelectableModule[]
  value: readonly string[]
  error: string | undefined
  onChange: (codes: string[]) => void
}

/** Minimum number of modules for which a search field is shown. */
const minSearchCount = 8

/** Selects modules by their codes. For dependencies, also shows which other modules they require (contracts 2). */
export function ModulesField({ name, modules, value: selectedCodes, error, onChange }: ModulesFieldProps) {
  const { t } = useTranslation('modules')
  const id = useId()
  const [searchText, setSearchText] = useState('')
  const normalisedSearch = normaliseText(useDeferredValue(searchText).trim())
  const codedModules = modules.filter(({ code }) => code !== '')
  const matches = codedModules.filter((module) =>
    normaliseText(`${module.code} ${module.name}`).includes(normalisedSearch),
  )
  // Selected modules that no longer exist. They are shown, so that the user can remove them knowingly.
  const missingCodes = selectedCodes.filter((code) => !codedModules.some((module) => module.code === code))
  const requiredCodes =
    name === 'dependencies'
      ? selectedCodes.flatMap((code) => selectModule(codedModules, selectedCodes, code).alsoChangedCodes)
      : []
  const toggle = (code: string) =>
    onChange(
      selectedCodes.includes(code)
        ? selectedCodes.filter((selectedCode) => selectedCode !== code)
        : [...selectedCodes, code],
    )
  return (
    <fieldset className={`module-field${error ? ' wrong' : ''}`} aria-describedby={`${id}-help`}>
      <legend>
        {t(`form.${name}`)}
        {name === 'dependencies' && <span className="field-optional">{t('form.optional')}</span>}
      </legend>
      <p className="field-help" id={`${id}-help`}>
        {t(`form.${name}Help`)}
      </p>
      {codedModules.length >= minSearchCount && (
        <Field
          type="search"
          label={t('form.search')}
          name={`${name}-search`}
          autoComplete="off"
          value={searchText}
          onChange={({ target }) => setSearchText(target.value)}
          onKeyDown={(event) => {
            // Enter searches and does not save the form.
            if (event.key === 'Enter') event.preventDefault()
          }}
        />
      )}
      <ul className="module-options">
        {matches.map(({ code, name: moduleName }) => (
          <li key={code}>
            <label className="check box">
              <input
                type="checkbox"
                name={`${name}-${code}`}
                checked={selectedCodes.includes(code)}
                onChange={() => toggle(code)}
              />
              <span>
                {moduleName} <code>{code}</code>
              </span>
            </label>
          </li>
        ))}
        {missingCodes.map((code) => (
          <li key={code}>
            <label className="check box">
              <input type="checkbox" name={`${name}-${code}`} checked onChange={() => toggle(code)} />
              <span>
                <code>{code}</code> – {t('form.noModule')}
              </span>
            </label>
          </li>
        ))}
      </ul>
      {matches.length + missingCodes.length === 0 && (
        <p className="field-help">{t(normalisedSearch ? 'form.noneFound' : 'form.noneYet')}</p>
      )}
      {error && (
        <p className="field-error" role="alert">
          <Icon name="alert" size={16} />
          {error}
        </p>
      )}
      {selectedCodes.length > 0 && (
        <p className="field-help" role="status">
          {t('form.chosen', { codes: joinList(selectedCodes) })}
          {requiredCodes.length > 0 && ` ${t('form.along', { codes: joinList([...new Set(requiredCodes)]) })}`}
        </p>
      )}
    </fieldset>
  )
}
