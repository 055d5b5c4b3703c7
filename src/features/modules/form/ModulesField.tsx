import { useDeferredValue, useId, useState } from 'react'
import { chooseModule, type Dependent } from '#domain/catalogue/modules.ts'
import { foldText } from '#domain/text.ts'
import { Field } from '#ui/form/Field.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

interface Choosable extends Dependent {
  name: string
}

interface Props {
  /** What the codes are for. */
  name: 'dependencies' | 'conditions'
  modules: readonly Choosable[]
  chosen: readonly string[]
  error: string | undefined
  onChange: (codes: string[]) => void
}

/** So many are looked through without a search. */
const searchFrom = 8

/** Modules by their codes. Of what a module needs it also says what that brings along (contracts 2). */
export function ModulesField({ name, modules, chosen, error, onChange }: Props) {
  const { t } = useTranslation('modules')
  const id = useId()
  const [text, setText] = useState('')
  const sought = foldText(useDeferredValue(text).trim())
  const named = modules.filter(({ code }) => code !== '')
  const shown = named.filter((one) => foldText(`${one.code} ${one.name}`).includes(sought))
  // Chosen before, and no module any more: it can be taken away and is not lost unseen.
  const gone = chosen.filter((code) => !named.some((one) => one.code === code))
  const along = name === 'dependencies' ? chosen.flatMap((code) => chooseModule(named, chosen, code).along) : []
  const toggle = (code: string) =>
    onChange(chosen.includes(code) ? chosen.filter((one) => one !== code) : [...chosen, code])
  return (
    <fieldset className={`module-field${error ? ' wrong' : ''}`} aria-describedby={`${id}-help`}>
      <legend>
        {t(`form.${name}`)}
        {name === 'dependencies' && <span className="field-optional">{t('form.optional')}</span>}
      </legend>
      <p className="field-help" id={`${id}-help`}>
        {t(`form.${name}Help`)}
      </p>
      {named.length >= searchFrom && (
        <Field
          type="search"
          label={t('form.search')}
          name={`${name}-search`}
          autoComplete="off"
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            // Enter looks for it; it does not save the form.
            if (event.key === 'Enter') event.preventDefault()
          }}
        />
      )}
      <ul className="module-options">
        {shown.map(({ code, name: called }) => (
          <li key={code}>
            <label className="check box">
              <input
                type="checkbox"
                name={`${name}-${code}`}
                checked={chosen.includes(code)}
                onChange={() => toggle(code)}
              />
              <span>
                {called} <code>{code}</code>
              </span>
            </label>
          </li>
        ))}
        {gone.map((code) => (
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
      {shown.length + gone.length === 0 && (
        <p className="field-help">{t(sought ? 'form.noneFound' : 'form.noneYet')}</p>
      )}
      {error && (
        <p className="field-error" role="alert">
          <Icon name="alert" size={16} />
          {error}
        </p>
      )}
      {chosen.length > 0 && (
        <p className="field-help" role="status">
          {t('form.chosen', { codes: chosen.join(', ') })}
          {along.length > 0 && ` ${t('form.along', { codes: [...new Set(along)].join(', ') })}`}
        </p>
      )}
    </fieldset>
  )
}
