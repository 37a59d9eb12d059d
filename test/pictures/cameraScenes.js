/* Scenes of a camera, drawn in a browser page on a canvas. One global: drawScene(name, width, height, seed, phase). */
function seeded(seed) {
  let state = (seed * 2654435761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4294967296;
  };
}

const scenes = {
  /** Cups on a wooden table. */
  cups({ g, w, h, random, shadow }) {
    wood(g, w, h, random);
    const count = 3 + Math.floor(random() * 4);
    for (let i = 0; i < count; i += 1) {
      const r = w * (0.045 + random() * 0.03);
      const x = w * (0.12 + (0.76 * (i + 0.5)) / count);
      const y = h * (0.35 + random() * 0.4);
      const hue = Math.floor(random() * 360);
      shadow(() => disc(g, x, y, r * 1.15, `hsl(${hue} 30% 88%)`));
      disc(g, x, y, r, `hsl(${hue} 45% 62%)`);
      disc(g, x, y, r * 0.84, `hsl(${hue} 30% 92%)`);
      disc(g, x, y, r * 0.74, 'hsl(24 60% 22%)');
      g.lineWidth = r * 0.22;
      g.strokeStyle = `hsl(${hue} 45% 58%)`;
      g.beginPath();
      g.arc(x + r * 1.2, y, r * 0.4, -1.9, 1.9);
      g.stroke();
    }
  },
  /** Boxes on a conveyor, seen from above; `phase` moves them. */
  conveyor({ g, w, h, random, shadow, phase }) {
    fill(g, 0, 0, w, h, ['#5b6068', '#43474d']);
    fill(g, 0, h * 0.22, w, h * 0.56, ['#26282b', '#323539']);
    g.strokeStyle = 'rgba(255,255,255,.05)';
    for (let x = -40; x < w + 40; x += 24) line(g, x + ((phase * 60) % 24), h * 0.22, h * 0.78);
    for (const y of [0.2, 0.78]) fill(g, 0, h * y, w, h * 0.025, ['#c9a227', '#8d7014']);
    for (let i = -1; i < 4; i += 1) {
      const side = h * (0.2 + random() * 0.12);
      const x = i * w * 0.32 + ((random() * 40 + phase * 60) % (w * 0.32));
      const y = h * (0.3 + random() * 0.14);
      const light = 48 + random() * 16;
      shadow(() =>
        fill(g, x, y, side * 1.2, side, [`hsl(30 38% ${light}%)`, `hsl(28 36% ${light - 12}%)`]),
      );
      fill(g, x + side * 0.52, y, side * 0.14, side, [
        'rgba(230,215,180,.75)',
        'rgba(210,190,150,.75)',
      ]);
      fill(g, x + side * 0.1, y + side * 0.6, side * 0.34, side * 0.24, ['#f3f3ef', '#deded8']);
      g.fillStyle = '#222';
      for (let b = 0; b < 11; b += 1)
        g.fillRect(x + side * (0.13 + b * 0.026), y + side * 0.64, 1 + random() * 2, side * 0.12);
    }
  },
  /** Washers, nuts and screws on a light plate: an inspection camera. */
  parts({ g, w, h, random, shadow }) {
    fill(g, 0, 0, w, h, ['#e6e9ea', '#c3c9cc']);
    for (let i = 0; i < 14; i += 1) {
      const x = w * (0.08 + 0.84 * random());
      const y = h * (0.1 + 0.8 * random());
      const r = w * (0.018 + 0.022 * random());
      g.save();
      g.translate(x, y);
      g.rotate(random() * 6.28);
      const kind = i % 3;
      shadow(() =>
        kind === 2
          ? fill(g, -r * 2, -r * 0.35, r * 4, r * 0.7, ['#9aa2a8', '#6d757b'])
          : polygon(g, r, kind === 0 ? 40 : 6, '#8d959b'),
      );
      if (kind === 2) polygon(g, r * 0.8, 6, '#59616a', -r * 2);
      else disc(g, 0, 0, r * 0.5, '#d5dadc');
      g.restore();
    }
  },
  /** Bottles on shelves. */
  shelf({ g, w, h, random }) {
    fill(g, 0, 0, w, h, ['#d9d2c6', '#b8afa0']);
    for (let row = 0; row < 3; row += 1) {
      const floor = h * (0.31 + row * 0.32);
      for (let x = w * 0.03; x < w * 0.94; x += w * 0.072) {
        if (random() < 0.16) continue;
        const hue = [12, 130, 205, 45][Math.floor(random() * 4)];
        const top = h * (0.19 + random() * 0.05);
        fill(
          g,
          x,
          floor - top * 0.75,
          w * 0.05,
          top * 0.75,
          [`hsl(${hue} 55% 45%)`, `hsl(${hue} 60% 26%)`],
          true,
        );
        fill(
          g,
          x + w * 0.016,
          floor - top,
          w * 0.018,
          top * 0.3,
          [`hsl(${hue} 40% 35%)`, `hsl(${hue} 40% 22%)`],
          true,
        );
        fill(g, x, floor - top * 0.5, w * 0.05, top * 0.26, ['#f4f1e8', '#d6d1c4'], true);
      }
      fill(g, 0, floor, w, h * 0.028, ['#8c7a62', '#5d4f3d']);
    }
  },
  /** A yard with a road and cars, from a mast. */
  yard({ g, w, h, random, shadow }) {
    fill(g, 0, 0, w, h, ['#77836c', '#5f6b56']);
    fill(g, 0, h * 0.4, w, h * 0.34, ['#55585c', '#484b4f']);
    g.fillStyle = '#d8d8d0';
    for (let x = 0; x < w; x += 60) g.fillRect(x, h * 0.565, 32, 4);
    for (let i = 0; i < 5; i += 1) {
      const x = w * (0.02 + i * 0.2 + random() * 0.06);
      const y = h * (random() < 0.5 ? 0.44 : 0.61);
      const hue = Math.floor(random() * 360);
      shadow(() =>
        fill(g, x, y, w * 0.11, h * 0.085, [`hsl(${hue} 40% 55%)`, `hsl(${hue} 40% 38%)`]),
      );
      fill(g, x + w * 0.03, y + h * 0.01, w * 0.05, h * 0.065, ['#2b3138', '#3a424b']);
    }
    for (let i = 0; i < 26; i += 1)
      disc(
        g,
        random() * w,
        h * (random() < 0.6 ? random() * 0.34 : 0.8 + random() * 0.2),
        6 + random() * 14,
        `hsl(${95 + random() * 30} 30% ${22 + random() * 14}%)`,
      );
  },
};

function fill(g, x, y, w, h, [from, to], across = false) {
  const ramp = g.createLinearGradient(x, y, across ? x + w : x, across ? y : y + h);
  ramp.addColorStop(0, from);
  ramp.addColorStop(1, to);
  g.fillStyle = ramp;
  g.fillRect(x, y, w, h);
}
function disc(g, x, y, r, colour) {
  g.fillStyle = colour;
  g.beginPath();
  g.arc(x, y, r, 0, 6.2832);
  g.fill();
}
function polygon(g, r, corners, colour, x = 0) {
  g.fillStyle = colour;
  g.beginPath();
  for (let i = 0; i < corners; i += 1)
    g.lineTo(x + r * Math.cos((6.2832 * i) / corners), r * Math.sin((6.2832 * i) / corners));
  g.fill();
}
function line(g, x, top, bottom) {
  g.beginPath();
  g.moveTo(x, top);
  g.lineTo(x, bottom);
  g.stroke();
}
function wood(g, w, h, random) {
  fill(g, 0, 0, w, h, ['#a97c50', '#8a613b']);
  for (let y = 0; y < h; y += 3) {
    g.fillStyle = `rgba(60,35,15,${random() * 0.12})`;
    g.fillRect(0, y, w, 1 + random() * 2);
  }
}

/** Draws a scene; sensor noise, vignette and a time stamp make it look like a camera frame. */
window.drawScene = (name, w, h, seed, phase) => {
  const canvas = document.createElement('canvas');
  canvas.width = w;
  canvas.height = h;
  const g = canvas.getContext('2d');
  const random = seeded(seed);
  const shadow = (draw) => {
    g.save();
    g.shadowColor = 'rgba(0,0,0,.5)';
    g.shadowBlur = w * 0.015;
    g.shadowOffsetX = g.shadowOffsetY = w * 0.008;
    draw();
    g.restore();
  };
  scenes[name]({ g, w, h, random, shadow, phase });
  const vignette = g.createRadialGradient(w / 2, h / 2, h * 0.3, w / 2, h / 2, w * 0.7);
  vignette.addColorStop(0, 'rgba(0,0,0,0)');
  vignette.addColorStop(1, 'rgba(0,0,0,.42)');
  g.fillStyle = vignette;
  g.fillRect(0, 0, w, h);
  const noise = seeded(seed + 77 + Math.round(phase * 1000));
  const pixels = g.getImageData(0, 0, w, h);
  for (let i = 0; i < pixels.data.length; i += 4) {
    const grain = (noise() - 0.5) * 9;
    for (let c = 0; c < 3; c += 1) pixels.data[i + c] += grain;
  }
  g.putImageData(pixels, 0, 0);
  g.font = `${Math.round(h * 0.036)}px monospace`;
  g.fillStyle = 'rgba(255,255,255,.9)';
  const at = new Date(Date.UTC(2026, 10, 21, 8, 0, seed * 7))
    .toISOString()
    .slice(0, 19)
    .replace('T', ' ');
  g.fillText(`${name.toUpperCase()}  ${at}`, w * 0.02, h * 0.96);
  return canvas;
};
