/**
 * Deletes every package that the server does not use from a folder: packages that only the client needs are in its build. Runs while the
 * container image is built.
 *
 * node scripts/image-packages.mjs FOLDER
 *
 * The folder has `node_modules` and the sources of the server. Used are the packages that these sources import, and what those need. Packages
 * of fonts have a file of 10 MB for each weight; of these, only the files that the sources name stay.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

const [, , folder = '.'] = process.argv
const modules = join(folder, 'node_modules')

function listSources(path) {
  if (statSync(path).isFile()) return /\.(ts|mjs|js)$/.test(path) ? [path] : []
  return readdirSync(path)
    .filter((name) => name !== 'node_modules')
    .flatMap((name) => listSources(join(path, name)))
}

/** Returns the names of the packages that a file imports, also by `import()` and `import.meta.resolve()`. */
function findPackageNames(file) {
  const imports = readFileSync(file, 'utf8').matchAll(
    /(?:\bfrom|\bimport|\bimport\(|\bresolve\()\s*['"]([^'"#.][^'"]*)['"]/g,
  )
  return [...imports]
    .map(([, specifier]) => specifier)
    .filter((specifier) => !specifier.startsWith('node:'))
    .map((specifier) => /^(@[^/]+\/[^/]+|[^/]+)/.exec(specifier)[1])
}

/** Returns the folder of a package as Node finds it from another folder, or null if it is not installed. */
function findPackage(name, from) {
  for (let path = from; ; path = dirname(path)) {
    const candidate = join(path, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) return candidate
    if (path === folder || path === dirname(path)) return null
  }
}

function findNeededNames(path) {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
    readFileSync(join(path, 'package.json'), 'utf8'),
  )
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional)
  return [...Object.keys(dependencies ?? {}), ...Object.keys(optionalDependencies ?? {}), ...peers]
}

const usedFolders = new Set()
function addPackage(name, from) {
  const path = findPackage(name, from)
  if (path === null || usedFolders.has(path)) return
  usedFolders.add(path)
  for (const neededName of findNeededNames(path)) addPackage(neededName, path)
}

/** Deletes unused packages below a `node_modules` folder, also nested ones. */
function deleteUnused(path) {
  for (const name of readdirSync(path)) {
    const packagePath = join(path, name)
    if (name.startsWith('@')) deleteUnused(packagePath)
    else if (!usedFolders.has(packagePath)) rmSync(packagePath, { recursive: true, force: true })
    else if (existsSync(join(packagePath, 'node_modules'))) deleteUnused(join(packagePath, 'node_modules'))
  }
  if (readdirSync(path).length === 0) rmSync(path, { recursive: true })
}

/** Deletes the fonts that no source names, and the pictures of fonts. */
function deleteUnusedFonts() {
  const fontsFolder = join(modules, '@expo-google-fonts')
  if (!existsSync(fontsFolder)) return
  const texts = listSources(folder).map((file) => readFileSync(file, 'utf8'))
  for (const path of readdirSync(fontsFolder, { recursive: true })) {
    const isFont = /\.(ttf|png)$/.test(path)
    if (isFont && !texts.some((text) => text.includes(`'@expo-google-fonts/${path.replaceAll('\\', '/')}'`)))
      rmSync(join(fontsFolder, path))
  }
}

for (const name of new Set(listSources(folder).flatMap(findPackageNames))) addPackage(name, folder)
deleteUnused(modules)
deleteUnusedFonts()
console.log(`${usedFolders.size} packages are used by the server.`)
