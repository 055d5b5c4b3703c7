import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

it('index.html has the meta tags for the home screen, including the name for older iPhones (fault 37n)', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../index.html'), 'utf8')
  for (const name of ['mobile-web-app-capable', 'apple-mobile-web-app-capable'])
    expect(page).toContain(`<meta name="${name}" content="yes" />`)
})
