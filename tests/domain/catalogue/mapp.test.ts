/** Tests the manifest of a package, and the effect of its upload (contracts 4, 5; D78, D79, D80; U-09, U-10). */
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { compareVersions } from '#domain/catalogue/apps.ts'
import { readManifest } from '#domain/checks/manifest-checks.ts'
import {
  findSelectionFaults,
  formatMappFault,
  parseMappFault,
  createMappFault,
  isMappName,
  isPublishable,
  mappFaults,
  findFaultsAfterUpload,
  getUploadState,
} from '#domain/catalogue/mapp.ts'
import en from '#locales/en/apps.json' with { type: 'json' }
import zh from '#locales/zh/apps.json' with { type: 'json' }

const validManifest = {
  format: 'portal-app',
  format_version: 1,
  provider: 'm18',
  code: 'barcode',
  name: 'Barcodes',
  module: 'stocktake',
  module_name: 'Stocktaking',
  version: '2.1',
  min_version_required: '2.0',
  release_date: '2025-10-13',
  flags: [
    { key: 'digits', name: 'Digits', type: 'int', default: 13 },
    { key: 'batches', name: 'Batches', type: 'boolean', default: false },
  ],
  requires: [{ code: 'framework', version: '1.9' }],
  files: { 'icon.png': 'a'.repeat(64), 'data/forms.json': '0'.repeat(64) },
}
const readFields = (fields: object) => readManifest(JSON.stringify({ ...validManifest, ...fields }))
const findFault = (fields: object) => {
  const result = readFields(fields)
  return 'fault' in result ? formatMappFault(result.fault) : 'read'
}

describe('readManifest', () => {
  test('reads a complete manifest', () => expect(readFields({})).toEqual({ manifest: validManifest }))

  test('fills in defaults for optional fields', () => {
    const { min_version_required: _1, release_date: _2, flags: _3, requires: _4, ...minimalManifest } = validManifest
    expect(readManifest(`\uFEFF${JSON.stringify(minimalManifest)}`)).toEqual({
      manifest: { ...validManifest, min_version_required: null, release_date: null, flags: [], requires: [] },
    })
  })

  const flag = { key: 'a', name: 'A', type: 'int', default: 1 }
  it.each([
    ['MANIFEST_FORMAT format', { format: 'zip' }],
    ['MANIFEST_FORMAT format_version', { format_version: 2 }],
    ['FIELD_UNKNOWN min_version', { min_version: '1' }],
    ['FIELD_MISSING code', { code: null }],
    ['FIELD_MISSING files', { files: undefined }],
    ['BAD_PROVIDER provider', { provider: '18m' }],
    ['BAD_PROVIDER provider', { provider: 'm_18' }],
    ['BAD_PROVIDER provider', { provider: '' }],
    ['BAD_PROVIDER provider', { provider: ['m18'] }],
    ['BAD_CODE code', { code: 'bar-code' }],
    ['BAD_CODE code', { code: 'a'.repeat(61) }],
    ['BAD_CODE module', { module: '../x' }],
    ['BAD_TEXT name', { name: '   ' }],
    ['BAD_TEXT name', { name: 'a'.repeat(101) }],
    ['BAD_TEXT name', { name: '<img src=x onerror=alert(1)>' }],
    ['BAD_TEXT name', { name: 'one\ntwo' }],
    ['BAD_TEXT name', { name: 'nul\0' }],
    ['BAD_TEXT module_name', { module_name: 'turned \u202Etxt' }],
    ['BAD_TEXT name', { name: '\uD800' }],
    ['BAD_TEXT name', { name: 1e9 }],
    ['BAD_VERSION version', { version: '1.beta' }],
    ['BAD_VERSION version', { version: '1.' }],
    ['BAD_VERSION version', { version: '1234567890' }],
    ['BAD_VERSION version', { version: '1.1.1.1.1.1.1.1.1.1.1' }],
    ['BAD_VERSION version', { version: 2.1 }],
    ['BAD_VERSION version', { version: '１.２' }],
    ['BAD_VERSION min_version_required', { min_version_required: 'any' }],
    ['MIN_ABOVE_VERSION 2.2', { min_version_required: '2.2' }],
    ['BAD_DATE release_date', { release_date: '2025-02-30' }],
    ['BAD_DATE release_date', { release_date: '13/10/2025' }],
    ['NO_LIST flags', { flags: { length: 1e9 } }],
    ['LIST_TOO_LONG flags', { flags: Array.from({ length: 201 }, (_, index) => ({ ...flag, key: `k${index}` })) }],
    ['NO_OBJECT flags.0', { flags: [null] }],
    ['FIELD_UNKNOWN flags.0.value', { flags: [{ ...flag, value: 1 }] }],
    ['BAD_FLAG_TYPE flags.0.type', { flags: [{ ...flag, type: 'text' }] }],
    ['BAD_DEFAULT flags.0.default', { flags: [{ ...flag, default: true }] }],
    ['BAD_DEFAULT flags.0.default', { flags: [{ ...flag, default: 1.5 }] }],
    ['BAD_DEFAULT flags.0.default', { flags: [{ ...flag, default: 1e9 * 1e9 }] }],
    ['BAD_DEFAULT flags.0.default', { flags: [{ ...flag, type: 'boolean' }] }],
    ['FIELD_MISSING flags.0.default', { flags: [{ key: 'a', name: 'A', type: 'int' }] }],
    ['FLAG_TWICE a', { flags: [flag, flag] }],
    ['REQUIRES_ITSELF barcode', { requires: [{ code: 'barcode', version: '1' }] }],
    ['REQUIRED_TWICE x', { requires: ['1', '2'].map((version) => ({ code: 'x', version })) }],
    ['BAD_VERSION requires.0.version', { requires: [{ code: 'x', version: '>=1' }] }],
    ['BAD_HASH icon.png', { files: { 'icon.png': 'A'.repeat(64) } }],
    ['BAD_HASH manifest.json', { files: { 'manifest.json': 'a'.repeat(64) } }],
    ['NO_OBJECT files', { files: [] }],
  ])('rejects an invalid manifest with the fault %s', (fault, fields) => expect(findFault(fields)).toBe(fault))

  const text = JSON.stringify(validManifest)
  it.each([
    ['MANIFEST_NO_JSON', ''],
    ['MANIFEST_NO_JSON', '{"format": 1e9'],
    ['NO_OBJECT', 'null'],
    ['NO_OBJECT', '[1e9]'],
    ['MANIFEST_NAME', '['.repeat(50_000) + ']'.repeat(50_000)],
    ['MANIFEST_NAME __proto__', text.replace('"format"', '"__proto__": {"code": "x"}, "format"')],
    ['MANIFEST_NAME constructor', text.replace('"digits"', '"digits", "constructor": 1')],
    ['MANIFEST_NAME version', text.replace('"version"', '"version": "9", "version"')],
    ['MANIFEST_TOO_LARGE', `${text}${' '.repeat(1024 * 1024)}`],
    ['BAD_DEFAULT flags.0.default', text.replace(':13', ':1e999')],
  ])('rejects hostile text with the fault %s', (fault, hostileText) => {
    const result = readManifest(hostileText)
    expect('fault' in result && formatMappFault(result.fault)).toBe(fault)
    expect(({} as { code?: string }).code).toBeUndefined()
  })

  test('reads or rejects any JSON object', () => {
    const value = fc.jsonValue({ maxDepth: 4 })
    const field = fc.constantFrom(...Object.keys(validManifest), 'other')
    fc.assert(
      fc.property(fc.dictionary(field, value), fc.boolean(), (fields, isNear) => {
        const result = readManifest(JSON.stringify(isNear ? { ...validManifest, ...fields } : fields))
        return 'fault' in result ? mappFaults.includes(result.fault.code) : result.manifest.format === 'portal-app'
      }),
    )
  })
})

describe('a fault of a package', () => {
  test('can be formatted as text and parsed again, and the name in it is safe to display', () => {
    for (const fault of [createMappFault('NO_ZIP'), createMappFault('WRONG_HASH', 'a b\n.png')])
      expect(parseMappFault(formatMappFault(fault))).toEqual(fault)
    expect(createMappFault('UNSAFE_NAME', '\u202Egnp.\0\uD800')).toEqual({ code: 'UNSAFE_NAME', named: '�gnp.��' })
    expect(createMappFault('UNSAFE_NAME', 'x'.repeat(5000)).named).toHaveLength(100)
    expect(parseMappFault('NO_SUCH thing')).toBeNull()
  })

  test('has a message in both languages', () => {
    for (const { fault } of [en, zh]) expect(Object.keys(fault).toSorted()).toEqual([...mappFaults].toSorted())
  })
})

describe('an uploaded app', () => {
  const sha256 = '1'.repeat(64)
  const buildUpload = (version: string, min_version_required: string | null = null) => ({
    code: 'pay',
    version,
    min_version_required,
    sha256,
  })
  const currentApp = { version: '1.10', sha256 }
  it.each([
    ['adds an unknown code', null, buildUpload('0.1'), [0, null, null]],
    ['adds an unknown code, and requires any minimum version', null, buildUpload('2', '1'), [0, null, null]],
    ['raises the version', currentApp, buildUpload('1.11'), [1, null, '1.10']],
    ['raises the version, and requires the published one', currentApp, buildUpload('2', '1.10.0'), [1, null, '1.10']],
    ['has the published version', currentApp, buildUpload('1.10.0'), [2, null, '1.10']],
    [
      'has the published version, whose hash is unknown',
      { ...currentApp, sha256: null },
      buildUpload('1.10'),
      [2, null, '1.10'],
    ],
    ['has a lower version', currentApp, buildUpload('1.9'), [3, 'lower', '1.10']],
    [
      'requires a higher version than the published one',
      currentApp,
      buildUpload('2', '1.11'),
      [3, 'min_version', '1.10'],
    ],
    [
      'has the published version with other bytes',
      { ...currentApp, sha256: '2'.repeat(64) },
      buildUpload('1.10'),
      [3, 'other_bytes', '1.10'],
    ],
  ] as const)('has the right state if it %s', (_, publishedApp, upload, [status, reason, current_version]) =>
    expect(getUploadState(publishedApp, upload)).toEqual({ status, why: reason, current_version }),
  )

  test('can be published only if it is new, or upgrades the published version from a version it supports (D79)', () => {
    const version = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 3 }).map((places) => places.join('.'))
    fc.assert(
      fc.property(fc.option(version), version, fc.option(version), (currentVersion, ownVersion, minVersion) => {
        const state = getUploadState(
          currentVersion === null ? null : { version: currentVersion, sha256 },
          buildUpload(ownVersion, minVersion),
        )
        const isNewer = currentVersion === null || compareVersions(ownVersion, currentVersion) > 0
        const isUpgradable =
          currentVersion === null || minVersion === null || compareVersions(minVersion, currentVersion) <= 0
        return isPublishable(state) === (isNewer && isUpgradable)
      }),
    )
  })

  test('can be selected once per code, and only if it can be published', () => {
    const buildFile = (code: string, status: 0 | 1 | 2 | 3, version = '1') => ({ code, status, version })
    const [addedFile, otherVersion, presentFile] = [buildFile('a', 0), buildFile('a', 0, '2'), buildFile('b', 2)]
    expect(findSelectionFaults([addedFile, buildFile('b', 1)])).toEqual({ unpublishable: [], repeatedCodes: [] })
    expect(findSelectionFaults([addedFile, otherVersion, presentFile])).toEqual({
      unpublishable: [presentFile],
      repeatedCodes: ['a'],
    })
  })

  test('is reported with the requirements, cycles and versions that would be wrong after its publication', () => {
    const publishedApps = [
      { code: 'framework', version: '1.10', requires: [] },
      { code: 'tax', version: '1', requires: [{ code: 'pay', version: '1' }] },
      { code: 'aside', version: '1', requires: [{ code: 'nowhere', version: '1' }] },
    ]
    const buildApp = (...requires: string[]) => ({
      code: 'pay',
      version: '1',
      requires: requires.map((requirement) => ({
        code: requirement.split(' ')[0] ?? '',
        version: requirement.split(' ')[1] ?? '',
      })),
    })
    const noFaults = { missing: [], loops: [], incompatible: [] }
    expect(findFaultsAfterUpload(publishedApps, [buildApp('framework 1.9')])).toEqual(noFaults)
    expect(findFaultsAfterUpload(publishedApps, [buildApp('framework 2', 'unheard 1', 'tax 1')])).toEqual({
      missing: ['unheard'],
      loops: [['pay', 'tax']],
      incompatible: [{ code: 'pay', requires: [{ code: 'framework', version: '2' }] }],
    })
    const broughtApp = { code: 'unheard', version: '1', requires: [] }
    expect(findFaultsAfterUpload(publishedApps, [buildApp('unheard 1'), broughtApp])).toEqual(noFaults)
  })

  test('has a file name that ends in .mapp', () => {
    expect(['a.mapp', 'A.MAPP', '条码 2.1.mapp'].every(isMappName)).toBe(true)
    expect(['a.zip', '.mapp', 'a.mapp.exe', 'mapp', `${'a'.repeat(200)}.mapp`].some(isMappName)).toBe(false)
  })
})
