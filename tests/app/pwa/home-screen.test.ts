import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

it('fault 37n the page opens as an app from the home screen, by the current name and by the one that older iPhones know', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../index.html'), 'utf8')
  for (const name of ['mobile-web-app-capable', 'apple-mobile-web-app-capable'])
    expect(page).toContain(`<meta name="${name}" content="yes" />`)
})
